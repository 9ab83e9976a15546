// Config: what a family reads of a published model, from config.json or, under the same keys, from the metadata of a GGUF.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "engine/architectures/architecture.h"
#include "engine/checkpoints/tensor_file.h"
#include "engine/core/json.h"
#include "engine/core/status.h"

namespace headlight::architectures {

// A key that is missing or of the wrong kind gives a number that does no harm, and an error that status() returns: a family's
// function reads all of its keys first.
class Config {
 public:
  // `values`: an object. `file` must outlive the Config. `where`: for errors.
  Config(Json values, const checkpoints::TensorFile& file, std::string where)
      : values_(std::move(values)), file_(file), where_(std::move(where)) {}

  using Keys = std::initializer_list<const char*>;  // spellings of one key, the first that is there counts
  bool is_gguf() const { return file_.format() == checkpoints::TensorFile::Format::gguf; }
  const checkpoints::TensorFile& file() const { return file_; }
  const Json* find(Keys keys) const;  // null where the key is missing or null
  bool contains(const char* key) const { return values_.contains(key); }
  // What a config.json means where it leaves keys out. A GGUF has its own rules.
  void presume(std::initializer_list<std::pair<const char*, Json>> defaults);

  std::int64_t whole(Keys keys, std::int64_t least = 1, std::int64_t most = 1'000'000);
  std::int64_t whole_or(Keys keys, std::int64_t fallback, std::int64_t least = 0, std::int64_t most = 1'000'000);
  double real_or(Keys keys, double fallback);
  bool truth_or(Keys keys, bool fallback);
  std::string text_or(Keys keys, const char* fallback);
  // Our id of an activation function, by the library's name for it.
  std::string activation(Keys keys, const char* fallback);
  // The first error of all counts.
  void refuse(Failure failure);
  Status status() const { return status_; }
  const std::string& where() const { return where_; }

 private:
  std::string spelled(Keys keys) const;  // as a person finds it in the file
  Json values_;
  const checkpoints::TensorFile& file_;
  std::string where_;
  Status status_;
};

// The metadata of a GGUF under the keys of a config.json; what GGUF leaves out has the value that its readers assume.
Json config_of_gguf(const checkpoints::TensorFile& file);
// What a GGUF calls a key of config.json, behind the name of the architecture: "hidden_size" is "embedding_length".
std::string gguf_key(const std::string& key);

// The model's rotary positions. `base` and `part` (of a head's dimensions) hold where no key says otherwise. `layers`: the type
// of layers whose own positions are meant ("full_attention"), where each type has its own.
Rope read_rope(Config& config, std::int64_t head_size, double base, double part, const char* layers = nullptr);
// Refuses a decoder that reads in both directions (Gemma's "use_bidirectional_attention").
void refuse_both_directions(Config& config);
// Windows by layer from "layer_types", where it is there: `window` for each "sliding_attention". Otherwise `fallback`.
std::vector<std::int64_t> read_windows(Config& config, std::int64_t layers, std::int64_t window,
                                       std::vector<std::int64_t> fallback);
// Qwen's windows: in the layers from "max_window_layers" on, if they are used at all.
std::vector<std::int64_t> upper_windows(Config& config, std::int64_t layers);
// BERT's and RoBERTa's plan, with this prefix of the tensors' names (bert.cpp).
Architecture read_bert_like(Config& config, const char* prefix);
// d_model, layers, heads and the rest under the names that the families use; kv_heads and head_size where the keys are absent (0:
// the number of heads, and d_model / heads).
void read_sizes(Config& config, Architecture& a, std::int64_t kv_heads, std::int64_t head_size);

// What Llama and its kin share: sizes (as read_sizes()), epsilon, the tied head, the activation under "hidden_act", and rope.
// Biases are none.
Architecture read_llama_kin(Config& config, std::int64_t kv_heads, std::int64_t head_size, double epsilon = 1e-6);
// Where the parameters of such a model lie, under Llama's names or in a GGUF; `paired` as for place_in_gguf().
void place_llama_kin(const Config& config, Architecture& a, bool paired = false);
// Where the parameters of `a` lie in a GGUF; `paired`: its rotary rows are in the order of pairs.
void place_in_gguf(const Config& config, Architecture& a, bool paired);
// Where they lie under Llama's names, which Mistral, Qwen, Gemma and Phi-3 share.
void place_as_llama(Architecture& a);
// The parameter's place is a part of a larger stored matrix: `rows` in all, from `first` on.
void place_part(Architecture& a, const std::string& parameter, const std::string& tensor, std::int64_t rows, std::int64_t first);
// One parameter at one tensor, and a matrix (w + `ours`) with its bias (b + `ours`).
void place(Architecture& a, std::string parameter, std::string tensor);
void place_linear(Architecture& a, const std::string& ours, const std::string& tensor, bool bias, const StoredPlace& like = {});
void place_norm(Architecture& a, const std::string& ours, const std::string& tensor);
// The table of token types, and its first row.
void place_token_types(Architecture& a, const char* tensor);

}  // namespace headlight::architectures
