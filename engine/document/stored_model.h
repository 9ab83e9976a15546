// Stored models: a folder with config.json, model.safetensors, the tokenizer and a card (README.md). This is what config.json
// says; the weights are read by engine/models/stored_weights.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"
#include "engine/document/document.h"

namespace headlight {

inline constexpr const char* kModelConfigFile = "config.json";
inline constexpr const char* kModelWeightsFile = "model.safetensors";
inline constexpr const char* kModelCardFile = "README.md";
inline constexpr const char* kTargetTokenizerFolder = "target";  // in the model's folder; only where the targets have their own

enum class ModelTask {
  decoder,          // predicts the next token of one text
  encoder_decoder,  // predicts the next token of a second text, given a first one
  encoder,          // predicts what stands behind [MASK], from both sides
};
const char* name_of(ModelTask task);  // "decoder", "encoder-decoder", "encoder"

struct StoredModel {
  std::string name;  // as a document says it: a bundled model's name, or its folder
  std::filesystem::path folder;
  std::string title;       // the name it was trained under: "stories"
  std::string trained_on;  // behind "trained on": "30 children's books of before 1930"
  // Of an encoder-decoder: what its texts and its targets are written in, "English" and "French"; empty: not said.
  std::string language, target_language;
  ModelTask task = ModelTask::decoder;
  // Tokens of the longest sequence that it was trained on; of learned positions, also the rows of their table.
  std::int64_t length = 0;
  bool tied = true;  // the output matrix is the embedding table, turned
  std::int64_t vocabulary = 0;
  std::int64_t target_vocabulary = 0;  // 0: texts and targets have one tokenizer and one table
  // Its architecture, and what it was trained with besides: masks, score, [BOS] and [EOS]. The other fields count for nothing.
  Document document;
};

// The ids of the fields that a document which names the model must agree with: "d_model", "heads", "norm", ...
const std::vector<std::string>& architecture_fields();
// The value of one of them as a text; two ways of saying one thing (d_ff 0 and 4 d_model) give the same.
std::string architecture_value(const Document& document, const std::string& id);

// config.json: {"headlight": {"version": 1, "name": ..., "task": ..., <fields of the document>}}. Where the model is one that
// transformers knows (Llama's decoder), its standard keys stand beside, so that from_pretrained() opens the folder.
std::string model_config_to_json(const StoredModel& model);
// `name`, `folder` and the tokenizers' names are not in the text. Errors, naming `where` and the field: not of Headlight, a newer
// version, a field that is missing, unknown, of another type or out of its range.
Result<StoredModel> model_config_from_json(std::string_view json, const std::string& where);

// The model `name`, a folder of assets/models or a path; read once a process, and again when its file changes. Errors: there is
// no such model, its config.json, and its tokenizer: missing or of another size.
Result<std::shared_ptr<const StoredModel>> open_stored_model(const std::string& name);
std::vector<std::string> bundled_models();  // in alphabetical order; empty without assets

// The special tokens around each of the texts or of the targets: those that the document adds, and those that an encoder-decoder
// always reads: [EOS] behind its text, [BOS] before its target.
struct SentenceEnds {
  bool begin = false, end = false;
};
SentenceEnds ends_of(const Document& document, bool of_targets);

// Whether the document's model fills in [MASK]: then this word in a text is the mask.
bool fills_in(const Document& document);

// The model with interventions, for everything that reads it without a document of its own: predictions, generation. Errors
// (usage): check_interventions()'s; a pattern of another sentence, which fits texts of one length alone.
Result<std::shared_ptr<const StoredModel>> with_interventions(std::shared_ptr<const StoredModel> model,
                                                              const std::vector<Intervention>& interventions);

// Sets the document's model, architecture, tokenizers, and what else the model was trained with. Texts, targets, seed and backend
// stay. Interventions in another model are dropped.
void use_model(Document& document, const StoredModel& model);
// The fields of what may be changed in a trained model (mask, score, scale, temperature, [BOS], [EOS]) that the document has
// otherwise than the model was trained: then its numbers are right, but it never learnt to work so. A padding mask that stands
// for texts of several lengths is no such change. None of the sandbox, or of a model that cannot be opened.
std::vector<std::string> untrained_fields(const Document& document);
// Errors (usage): the document asks for another architecture or tokenizer, or for a second sentence where the model reads one.
Status check_model(const StoredModel& model, const Document& document);

}  // namespace headlight
