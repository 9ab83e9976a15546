// The metadata of a GGUF under the keys of a config.json, so that a family is read once for both.
#include "engine/architectures/published_config.h"

#include <cmath>

namespace headlight::architectures {
namespace {

using checkpoints::GgufMetadata;
using checkpoints::StoredTensor;

Json numbers_of(const checkpoints::TensorFile& file, const char* name) {
  Json all = Json::array();
  const StoredTensor* const tensor = file.find(name);
  if (!tensor || element_count(tensor->shape) > 4096) return all;
  const auto values = checkpoints::widened(*tensor);
  if (!values) return all;
  for (const float value : values->values<float>()) all.push_back(static_cast<double>(value));
  return all;
}

// Some files give a number for each layer. They are alike in the families that are read here, or the tensors' shapes say so.
std::optional<std::int64_t> whole_of(const GgufMetadata& data, const std::string& key) {
  if (const auto one = data.integer(key)) return one;
  const std::vector<std::int64_t> all = data.integers(key);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

// The rotary scaling of the file; an empty object where there is none.
Json scaling_of(const checkpoints::TensorFile& file, const std::string& prefix) {
  const GgufMetadata& data = file.metadata();
  const std::string key = prefix + "rope.scaling.";
  const double factor = data.real(key + "factor").value_or(data.real(prefix + "rope.scale_linear").value_or(1));
  std::string type = data.text(key + "type").value_or(factor == 1 ? "none" : "linear");
  Json scaling = Json::object();
  const Json long_factors = numbers_of(file, "rope_factors_long.weight"), divisors = numbers_of(file, "rope_freqs.weight");
  if (!long_factors.empty()) type = "longrope";
  scaling["rope_type"] = type == "none" ? std::string("default") : type;
  scaling["factor"] = factor;
  if (const auto length = data.integer(key + "original_context_length")) scaling["original_max_position_embeddings"] = *length;
  const double magnitude = data.real(key + "attn_factor").value_or(1);
  if (type == "longrope") {
    scaling["short_factor"] = numbers_of(file, "rope_factors_short.weight");
    scaling["long_factor"] = long_factors;
    scaling["attention_factor"] = magnitude;
  }
  if (type == "yarn") scaling["attention_factor"] = magnitude * (factor > 1 ? 1 + 0.1 * std::log(factor) : 1);
  if (!divisors.empty()) scaling["divisors"] = divisors;
  return scaling;
}

// Keys of config.json and the GGUF's, behind the name of the architecture.
constexpr std::pair<const char*, const char*> kWholeKeys[] = {{"hidden_size", "embedding_length"},
                                                              {"num_hidden_layers", "block_count"},
                                                              {"num_attention_heads", "attention.head_count"},
                                                              {"num_key_value_heads", "attention.head_count_kv"},
                                                              {"intermediate_size", "feed_forward_length"},
                                                              {"max_position_embeddings", "context_length"},
                                                              {"head_dim", "attention.key_length"},
                                                              {"num_local_experts", "expert_count"},
                                                              {"sliding_window", "attention.sliding_window"}};

}  // namespace

std::string gguf_key(const std::string& key) {
  for (const auto& [ours, theirs] : kWholeKeys)
    if (key == ours) return theirs;
  return key;
}

Json config_of_gguf(const checkpoints::TensorFile& file) {
  const GgufMetadata& data = file.metadata();
  const std::string prefix = data.text("general.architecture").value_or("") + ".";
  Json json = Json::object();
  const auto real = [&](const char* ours, const char* key) {
    if (const auto value = data.real(prefix + key)) json[ours] = *value;
  };
  for (const auto& [ours, key] : kWholeKeys)
    if (const auto value = whole_of(data, prefix + key)) json[ours] = *value;
  real("rms_norm_eps", "attention.layer_norm_rms_epsilon");
  real("layer_norm_eps", "attention.layer_norm_epsilon");
  real("attn_logit_softcapping", "attn_logit_softcapping");
  real("final_logit_softcapping", "final_logit_softcapping");
  if (const auto parallel = data.boolean(prefix + "use_parallel_residual")) json["use_parallel_residual"] = *parallel;
  if (const auto causal = data.boolean(prefix + "attention.causal")) json["is_decoder"] = *causal;
  json["rope_theta"] = data.real(prefix + "rope.freq_base").value_or(10000);
  if (const auto local = data.real(prefix + "rope.freq_base_swa")) json["local_rope_theta"] = *local;
  // What is said of heads when it is not written.
  if (!json.contains("num_key_value_heads")) json["num_key_value_heads"] = nullptr;
  const double heads = json["num_attention_heads"].number();
  const double width = json.contains("head_dim") || heads == 0 ? json["head_dim"].number() : json["hidden_size"].number() / heads;
  if (!json.contains("head_dim") && width > 0) json["head_dim"] = static_cast<std::int64_t>(width);
  if (const auto turned = data.integer(prefix + "rope.dimension_count"); turned && width > 0)
    json["partial_rotary_factor"] = (static_cast<double>(*turned) + 0.5) / width;  // rounded down when it is read
  json["rope_scaling"] = scaling_of(file, prefix);
  if (const StoredTensor* const table = file.find("token_embd.weight"); table && table->shape.size() == 2)
    json["vocab_size"] = table->shape[0];
  json["tie_word_embeddings"] = file.find("output.weight") == nullptr;
  return json;
}

}  // namespace headlight::architectures
