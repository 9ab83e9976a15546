// Stored models. Ours are folders with config.json, model.safetensors, the tokenizer and a card (README.md): this header reads
// config.json, and engine/models/stored_weights.h the weights. Those that others published are checkpoints
// (engine/architectures): folders with their own config.json, or a .gguf file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/tokenizers/files/chat_frame.h"

namespace headlight {

namespace architectures {
struct Checkpoint;
}

inline constexpr const char* kModelConfigFile = "config.json";
inline constexpr const char* kModelWeightsFile = "model.safetensors";
inline constexpr const char* kModelCardFile = "README.md";
inline constexpr const char* kTargetTokenizerFolder = "target";  // in the model's folder, if the targets have their own

enum class ModelTask {
  decoder,          // predicts the next token of one text
  encoder_decoder,  // predicts the next token of a second text, given a first one
  encoder,          // predicts the token that [MASK] hides, from both sides
};
const char* name_of(ModelTask task);  // "decoder", "encoder-decoder", "encoder"

struct StoredModel {
  std::string name;  // as a document names the model: a bundled model's name, or its folder
  std::filesystem::path folder;
  std::string title;       // the name it was trained under: "stories"
  std::string trained_on;  // the words behind "trained on": "30 children's books of before 1930"
  // Of an encoder-decoder: the languages of its texts and of its targets, "English" and "French"; empty: unknown.
  std::string language, target_language;
  ModelTask task = ModelTask::decoder;
  // Tokens of the longest sequence that it was trained on; also the rows of the table of learned positions.
  std::int64_t length = 0;
  bool tied = true;  // the output matrix is the transposed embedding table
  std::int64_t vocabulary = 0;
  std::int64_t target_vocabulary = 0;  // 0: texts and targets have one tokenizer and one table
  bool predicts = true;                // false: it has no language head, and so no next word and no word for [MASK]
  // What stands around a sentence that the model is to answer; nothing: it is not known that it was tuned to answer.
  std::optional<tokenizers::ChatFrame> chat;
  // Of a published model, whose vocabulary may be larger than its tokenizer's; null: the model is ours.
  std::shared_ptr<const architectures::Checkpoint> checkpoint;
  // Its architecture, and the masks, score, [BOS] and [EOS] that it was trained with. The other fields are ignored.
  Document document;
};

// The ids of the fields that a document which names the model must agree with: "d_model", "heads", "norm", ...
const std::vector<std::string>& architecture_fields();
bool is_architecture_field(std::string_view id);  // whether it is one of these
// The value of one of these fields as a text. Two ways to write one value give the same text:
// architecture_value(document, "d_ff") is "768" for a new document, whose d_ff is 0 and whose d_model is 192.
std::string architecture_value(const Document& document, const std::string& id);

// config.json: {"headlight": {"version": 1, "name": ..., "task": ..., <fields of the document>}}. A model that the library
// transformers knows (Llama's decoder) has its standard keys beside "headlight", so that from_pretrained() opens the folder.
std::string model_config_to_json(const StoredModel& model);
// Reads config.json. `name`, `folder` and the tokenizers' names stay empty, because they are not in the text. Errors (invalid),
// naming `where` and the field: not of Headlight, a newer version, a field that is missing, unknown, of another type or out of
// its range. model_config_from_json(json, "stories/config.json") gives the model; its errors name that file.
Result<StoredModel> model_config_from_json(std::string_view json, const std::string& where);

// Whether the model was published by others; then its tokenizer adds the special tokens around a text.
inline bool is_published(const StoredModel& model) { return model.checkpoint != nullptr; }
// Whether a document's second sentence is the other one of a pair, which such a model reads as one text: an encoder that others
// published.
inline bool reads_pairs(const StoredModel& model) { return is_published(model) && model.task == ModelTask::encoder; }
// Error (usage): the model has no language head. check_predicts(*minilm) is one.
Status check_predicts(const StoredModel& model);

// The model `name`: a folder of assets/models, or a path of a folder or a .gguf file. A process reads it once, and again when its
// config.json has changed. Errors: there is no such model; its config.json is wrong; its tokenizer is missing or of another size.
Result<std::shared_ptr<const StoredModel>> open_stored_model(const std::string& name);
// Whether open_stored_model(name) is quick: the model is open, or a bundled one, or not there, which is then said. Opening one
// that others published reads its vocabulary, and takes up to seconds. opens_at_once("stories") is true.
bool opens_at_once(const std::string& name);
std::vector<std::string> bundled_models();  // in alphabetical order; empty without assets

// The stored model that the document names; null: it names the sandbox. Errors: open_stored_model()'s.
Result<std::shared_ptr<const StoredModel>> stored_model_of(const Document& document);

// Which special tokens stand around each of the texts or targets: [BOS] at the beginning, [EOS] at the end. The document adds
// them; besides, an encoder-decoder always reads [EOS] behind its text and [BOS] before its target.
struct SentenceEnds {
  bool begin = false, end = false;
};
// `model`: stored_model_of(document). ends_of({}, nullptr, false) gives neither; of a translation model,
// ends_of(document, model, true).begin is true.
SentenceEnds ends_of(const Document& document, const StoredModel* model, bool of_targets);

// Whether the model, or the document's model, fills in [MASK]. The word [MASK] in a text is then the mask token. Null: the
// sandbox, which does not.
bool fills_in(const StoredModel* model);
bool fills_in(const Document& document);

// A copy of the model whose document has these interventions, for predictions and generation, which have no document of their
// own. Errors (usage): check_interventions()'s; a pattern of another sentence, because it fits texts of one length alone.
// with_interventions(model, document.interventions) gives the model itself if there are none.
Result<std::shared_ptr<const StoredModel>> with_interventions(std::shared_ptr<const StoredModel> model,
                                                              const std::vector<Intervention>& interventions);

// Whether the document's model has a chat frame.
bool offers_chat(const Document& document);
// A copy of the model that reads every text in its chat frame. Error (usage): it has none that is known here.
Result<std::shared_ptr<const StoredModel>> with_chat(const std::shared_ptr<const StoredModel>& model);

// Sets the document's model, architecture and tokenizers, and the masks, score, [BOS] and [EOS] that the model was trained with.
// Texts, targets, seed and backend stay, and `chat` where the model has a frame. Matrices and interventions of another model are
// dropped. use_model(document, **open_stored_model("stories")) makes the document one of that model.
void use_model(Document& document, const StoredModel& model);
// The ids of the fields in which the document differs from the training of its model: mask, score, scale, temperature, [BOS],
// [EOS]. These fields may be changed: the numbers are right, but the model never learnt to work so. A padding mask does not
// count, because texts of several lengths need one. Empty for the sandbox, and for a model that cannot be opened.
std::vector<std::string> untrained_fields(const Document& document);
std::vector<std::string> untrained_fields(const Document& document, const StoredModel& model);
// Errors (usage): the document asks for another architecture or tokenizer, or for one sentence where the model reads two, or for
// two where it reads one. check_model(model, document) is an error if document.layers is not model.document.layers.
Status check_model(const StoredModel& model, const Document& document);

}  // namespace headlight
