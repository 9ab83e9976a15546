// Gemma 2: norms before and behind each part, capped scores and logits, a window in every other layer.
#include <cmath>

#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

// Absent it is `fallback`, null it is none.
double cap_of(Config& config, const char* key, double fallback) {
  return config.real_or({key}, config.contains(key) ? 0 : fallback);
}

Architecture read_gemma2(Config& config) {
  config.presume({{"vocab_size", 256000},
                  {"num_hidden_layers", 26},
                  {"num_attention_heads", 8},
                  {"intermediate_size", 9216},
                  {"max_position_embeddings", 8192}});
  Architecture a;
  read_sizes(config, a, 4, 256);
  a.epsilon = config.real_or({"rms_norm_eps"}, 1e-6);
  a.tied = config.truth_or({"tie_word_embeddings"}, true);
  a.activation = config.activation({"hidden_activation"}, "gelu_pytorch_tanh");
  a.attention_bias = a.output_bias = config.truth_or({"attention_bias"}, false);
  a.embedding_scale = std::sqrt(static_cast<float>(a.d_model));
  a.norms = Architecture::Norms::around;
  a.norm_adds_one = true;
  // GGUF does not write it: the largest model has d_model / heads, the others the width of a head.
  const std::int64_t of_width = a.layers == 46 ? a.d_model / a.heads : a.head_size;
  const double divisor = config.real_or({"query_pre_attn_scalar"}, config.is_gguf() ? static_cast<double>(of_width) : 256.0);
  a.scale = divisor > 0 ? 1 / std::sqrt(divisor) : 0;
  a.score_cap = cap_of(config, "attn_logit_softcapping", 50);
  a.logit_cap = cap_of(config, "final_logit_softcapping", 30);
  a.rope = read_rope(config, a.head_size, 10000, 1);
  const std::int64_t window = config.whole_or({"sliding_window"}, config.contains("sliding_window") ? 0 : 4096);
  std::vector<std::int64_t> every_other;
  for (std::int64_t i = 0; i < a.layers && window > 0; ++i)
    every_other.push_back(i % 2 == 0 ? window - 1 : Architecture::kEverything);
  a.windows = read_windows(config, a.layers, window - 1, std::move(every_other));
  refuse_both_directions(config);
  place_llama_kin(config, a);
  return a;
}

}  // namespace

Entry gemma2() {
  return {"gemma2",
          "Gemma 2",
          "as Gemma, with norms before and behind each part, and c tanh(x / c) of scores and logits",
          "Gemma Team 2024 (Gemma 2)",
          {"gemma2"},
          read_gemma2};
}

}  // namespace headlight::architectures
