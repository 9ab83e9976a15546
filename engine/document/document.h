// Document: the complete description of a computation, as a plain value with a version. A saved session is a Document and a
// ViewState; everything that only changes how a picture looks is in the ViewState.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/masks/mask.h"
#include "engine/core/parameter.h"
#include "engine/core/status.h"
#include "engine/document/given_matrix.h"
#include "engine/document/intervention.h"
#include "engine/operations/attention_fill.h"

namespace headlight::tokenizers {
class Tokenizer;
struct Trained;
}  // namespace headlight::tokenizers

namespace headlight {

struct StoredModel;

struct Document {
  static constexpr int kVersion = 1;

  // Defined in the source, because they would cost the build seconds in every source that copies a Document.
  Document();
  Document(const Document& other);
  Document(Document&& other) noexcept;
  Document& operator=(const Document& other);
  Document& operator=(Document&& other) noexcept;
  ~Document();

  std::vector<std::string> texts{"a fluffy blue creature roamed the verdant forest"};  // a batch of one or more sentences
  std::vector<std::string> targets;  // empty, or one for each text: an encoder reads the texts and a decoder the targets

  std::string tokenizer = "bpe";  // tokenizers::open(): a registry id, a bundled vocabulary or a folder; or "trained:NAME"
  std::string target_tokenizer;   // the same for the targets; empty: the tokenizer of the texts
  // The vocabularies that "trained:NAME" in these two fields names: they were trained in the window and travel with the document.
  // A vocabulary that neither field names is ignored.
  std::vector<std::shared_ptr<const tokenizers::Trained>> trained;
  bool plain = false;      // special tokens that a text names, such as <|endoftext|>, are read as plain text
  bool chat = false;       // of a model that was tuned to answer: the texts stand in its frame (stored_model.h)
  bool add_begin = false;  // [BOS] before each sentence
  bool add_end = false;    // [EOS] after it

  std::string model = "sandbox";  // seeded random weights; or a stored model's name or folder (stored_model.h)
  std::int64_t d_model = 192;
  std::int64_t heads = 6;
  std::int64_t layers = 6;
  std::int64_t d_ff = 0;         // hidden size of the feed-forward part; 0: 4 d_model
  bool projected = true;         // false: Q = K = V = x, one head (S12)
  std::string qkv = "separate";  // projections: separate; shared: K = V; one: Q = K = V, and K = V in cross-attention
  bool bias = true;              // biases of the projections (seeded, like the weights)
  bool residual = true;
  std::string norm = "pre";         // where the norms stand: none, pre, post
  std::string norm_kind = "layer";  // layer: LayerNorm; rms: RMSNorm
  bool final_norm = false;          // with norm "pre": one more after the last layer
  bool feed_forward = true;
  std::string activation = "relu";  // of the feed-forward part: an id of operations::activations()
  bool gated = false;               // its hidden values are multiplied by a second projection (Shazeer 2020)
  bool logits = false;              // of the sandbox: adds a score for every token of the vocabulary, and the losses
  std::uint64_t seed = 0;
  std::vector<GivenMatrix> matrices;        // numbers in place of the model's own
  std::vector<Intervention> interventions;  // replacements inside the model, in the order of Intervention::Kind

  std::string position = "sinusoidal";
  std::int64_t relative_clip = 4;  // of relative positions: all distances beyond the clip share one row
  std::vector<Choice> masks;       // combined by AND
  operations::MaskFill mask_fill = operations::MaskFill::minus_infinity;
  std::shared_ptr<const masks::Matrix> custom_mask;  // read by the mask "custom"

  std::string score = "scaled_dot";  // an id of scores::registry()
  std::string scale = "sqrt";        // sqrt: 1/sqrt(d_k); none: 1; or a number: times that
  double temperature = 1.0;          // softmax(x / temperature) inside attention
  std::string combiner = "concat";
  std::int64_t stack_hidden = 16;  // n_hidden of the combiner stack2d
  std::string padding = "token";   // of the sandbox: token: [PAD] of the vocabulary; row: the index V behind the vocabulary
  std::string backend = "cpu";

  bool operator==(const Document& other) const;  // compares the custom mask and the trained vocabularies by value
};

// One field of the schema. The same list makes the command line's options, the JSON and the window's pickers.
struct Field {
  Parameter parameter;      // id is the JSON key: "d_model", "texts", "masks"
  std::string option;       // of the command line, without dashes: "d-model", "text", "mask"
  bool repeatable = false;  // texts, targets, masks: an option that may be given several times, a list in JSON
  // The JSON leaves this field out if its value is the default, so that programs older than the field can open the document.
  bool omitted_default = false;
  std::function<std::vector<std::string>(const Document&)> get;           // one text, or a list if repeatable
  std::function<Status(Document&, const std::vector<std::string>&)> set;  // takes get's result; errors name option and range
};
const std::vector<Field>& document_schema();
const Field* find_field(std::string_view id);  // null: there is none
// The command line's options that give this document: {"--text", "…", "--mask", "causal,padding", ...}. Only fields that differ
// from a new Document are in it.
std::vector<std::string> to_arguments(const Document& document);

// The tokenizer of the texts or of the targets, which reads special tokens as plain text where the document says so. Errors:
// tokenizers::open()'s, and a trained vocabulary that the document lacks.
// open_tokenizer(document, true) gives the targets' tokenizer, which is the texts' where target_tokenizer is empty.
Result<std::shared_ptr<const tokenizers::Tokenizer>> open_tokenizer(const Document& document, bool of_targets = false);
// The trained vocabularies that the document's fields name, each once.
std::vector<std::shared_ptr<const tokenizers::Trained>> trained_in_use(const Document& document);
// Makes `trained` the tokenizer of the texts or of the targets. use_trained(document, trained, true) sets the targets' alone.
void use_trained(Document& document, std::shared_ptr<const tokenizers::Trained> trained, bool of_targets = false);

// Whether every head is as wide as the model (d_k = d_model), as the combiner stack2d needs; otherwise d_k = d_model / heads.
bool has_wide_heads(const Document& document);
// d_k, the width of one head.
std::int64_t head_width(const Document& document);

// The factor of the scores: Document::scale read for heads of size d_k. scale_of({}, 64) gives 1/sqrt(64) = 0.125.
double scale_of(const Document& document, std::int64_t d_k);

// Checks every field's range, and the rules over several fields: that heads divides d_model, that there are as many targets as
// texts, and that the architecture is a stored model's own. Errors: usage.
Status validate(const Document& document);
// The same, of a document whose model is open: stored_model_of(document).
Status validate(const Document& document, const StoredModel* model);

// Pretty, keys in schema order, numbers in full precision. Of a document that names a stored model, without what the model itself
// says: architecture_fields().
std::string to_json(const Document& document);
// Errors (invalid), naming `where` and the key: an unknown key, a wrong type, a newer version. Missing keys keep their defaults,
// or what the model brings. A saved document, which has a version, may name a model that is gone.
// document_from_json("{\"layers\": 2}", "my.json") gives a new Document with two layers.
Result<Document> document_from_json(std::string_view json, const std::string& where);

}  // namespace headlight
