// Architecture: what a model is made of, as data: its sizes, which of the public blocks its plan has with which options and, of
// one that others published, where each of its parameters lies in the checkpoint. Each published family is one file and one line
// of the registry: it reads a config.json, or the metadata of a GGUF, and says the rest. What the sandbox and models of ours are
// made of stands in a document (engine/document/model_architecture.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/architectures/rope.h"
#include "engine/checkpoints/tensor_file.h"
#include "engine/core/registry.h"
#include "engine/core/status.h"

namespace headlight::architectures {

class Config;

// Where a parameter's numbers lie. Output j of a matrix is a row of the stored tensor [outputs, inputs]; number j of a vector and
// row j of a table likewise.
struct StoredPlace {
  std::string parameter;  // of the plan, without "parameters."; N stands for the number of a layer: "layer.N.wq"
  std::string tensor;     // behind the prefix; spellings that occur are divided by '|'
  std::int64_t rows = 0;  // of the stored tensor; 0: as many as the parameter's
  std::int64_t first = 0;
  std::int64_t block = 0, step = 0;  // rows come in blocks of `block`, `step` apart (GPT-NeoX: q, k, v of each head); 0: in order
  std::int64_t paired = 0;           // the width of heads whose rows llama.cpp put in the order of pairs; 0: as published
  bool turned = false;               // stored as [inputs, outputs] (GPT-2)
  bool row_of_table = false;         // the vector is row `first` of a stored table
  double added = 0;                  // to every number (Gemma: 1)

  // The stored row of output j. {.first = 8}.row(3) is 11.
  std::int64_t row(std::int64_t j) const;
  bool operator==(const StoredPlace&) const = default;
};

struct Architecture {
  std::string id, label;  // of the registry's entry: "llama", "Llama"; empty of the sandbox and models of ours
  bool causal = true;     // otherwise every token sees all others
  bool predicts = true;   // has a language head: a score for every token of the vocabulary
  bool tied = false;      // the head is the embedding table

  std::int64_t d_model = 0, layers = 0, heads = 0, kv_heads = 0, head_size = 0, d_ff = 0;
  std::int64_t vocabulary = 0;  // rows of the embedding table, at least as many as the tokenizer has pieces
  std::int64_t length = 0;      // tokens of the longest text

  bool residual = true;      // what a part gives is added to what it reads
  bool feed_forward = true;  // a feed-forward part behind each attention
  // Norms: none; before a part (x + f(norm x)), behind the sum (norm(x + f x)), before and behind a part (x + norm f(norm x)); or
  // parallel, where both parts read the same vectors (x + f(norm x) + g(norm x)).
  enum class Norms { none, before, behind, around, parallel };
  Norms norms = Norms::before;
  bool rms = true;             // RMSNorm, otherwise LayerNorm
  bool norm_bias = true;       // of LayerNorm
  bool norm_adds_one = false;  // the stored weights are those of a norm that multiplies by 1 + w
  double epsilon = 1e-6;
  bool first_attention_norm = true;  // false: layer 0 has none (ModernBERT)
  bool final_norm = true;
  bool query_key_norm = false;  // RMSNorm of each head's q and k

  double embedding_scale = 1;
  bool embedding_norm = false;
  // Rows of a table of token types: the row of its token's type is added to every embedding, row 0 in a single sentence. 0: there
  // is no such table.
  std::int64_t token_types = 0;
  bool learned_positions = false;

  std::string position = "none";   // an id of positions::registry(); of a published model it follows from the fields around it
  std::int64_t relative_clip = 0;  // of relative positions
  // Of rotary positions; nothing: those of the first paper, base 10000 over a whole head.
  std::optional<Rope> rope;
  std::optional<Rope> local_rope;  // of the layers with a window, where it differs
  static constexpr std::int64_t kEverything = -1;
  std::vector<std::int64_t> windows;    // by layer: how far a token sees to either side, or kEverything. Empty: everything
  double scale = 0;                     // of the scores; 0: 1 / sqrt(head_size)
  bool scale_by_layer = false;          // the scores of layer i are also divided by i + 1
  double score_cap = 0, logit_cap = 0;  // c tanh(x / c); 0: none

  bool projected = true;                                   // false: q, k and v are the vectors themselves
  bool keys_are_queries = false, values_are_keys = false;  // one projection serves as both
  std::int64_t stack_hidden = 0;                           // n_hidden of the 2-D stack of heads; 0: heads side by side

  bool attention_bias = false, output_bias = false, feed_forward_bias = false;
  bool gated = true;
  std::string activation = "silu";  // an id of operations::activations()

  std::string prefix;  // of the names of tensors, which may be missing: "model."
  std::vector<StoredPlace> places;
  std::vector<std::string> ignored;  // tensors that a plan does not need: "classifier*", "*.inv_freq"

  double scale_of(std::int64_t layer) const;
  std::int64_t window_of(std::int64_t layer) const {
    return windows.empty() ? kEverything : windows[static_cast<std::size_t>(layer)];
  }
  bool is_local(std::int64_t layer) const { return window_of(layer) != kEverything; }
  const std::optional<Rope>& rope_of(std::int64_t layer) const { return local_rope && is_local(layer) ? local_rope : rope; }
  // Where "layer.3.wq" lies; null: the architecture has no such parameter.
  const StoredPlace* place_of(std::string_view parameter) const;
  // The stored tensor of a parameter, by whatever spelling the file has; null: there is none.
  // find(file, *place_of("layer.3.wq"), "layer.3.wq")
  const checkpoints::StoredTensor* find(const checkpoints::TensorFile& file, const StoredPlace& place,
                                        std::string_view parameter) const;
  // Whether a tensor has no place in the plan and may be left alone.
  bool ignores(std::string_view tensor) const;
  // Whether both compute the same, wherever their parameters lie.
  bool computes_like(const Architecture& other) const;
  bool operator==(const Architecture&) const = default;
};

// A family of published models.
struct Entry {
  std::string id, label, formula, source;
  std::vector<std::string> gguf;  // its names in general.architecture; empty: it is not read from GGUF
  // Reads the sizes and options; errors stay in the Config, which checkpoint() asks afterwards.
  Architecture (*read)(Config& config) = nullptr;
};
const Registry<Entry>& registry();
// What the family's `read` finds, with its id, its label and what follows from the rest. Errors: the Config's.
Result<Architecture> read_architecture(const Entry& entry, Config& config);

// A published model as it lies on the disk.
struct Checkpoint {
  Architecture architecture;
  std::shared_ptr<const checkpoints::TensorFile> file;
  std::string title;  // the name it was published under, as far as the files say
};
// Whether `path` is a checkpoint to be opened here: a .gguf file, or a folder with a config.json or a GGUF.
bool is_checkpoint(const std::filesystem::path& path);
// Errors, naming the file: TensorFile::open()'s; an architecture that is not known, with those that are; a key of config.json
// that is missing or out of its range.
Result<std::shared_ptr<const Checkpoint>> open_checkpoint(const std::filesystem::path& path);

}  // namespace headlight::architectures
