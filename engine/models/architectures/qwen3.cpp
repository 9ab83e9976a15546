// Qwen3: Llama's plan with a norm of each head's queries and keys.
#include "engine/models/architectures/architecture_entries.h"
#include "engine/models/architectures/published_config.h"

namespace headlight::architectures {
namespace {

Architecture read_qwen3(Config& config) {
  Architecture a;
  read_sizes(config, a, 32, 128);
  a.epsilon = config.real_or({"rms_norm_eps"}, 1e-6);
  a.tied = config.truth_or({"tie_word_embeddings"}, false);
  a.activation = config.activation({"hidden_act"}, "silu");
  a.attention_bias = a.output_bias = config.truth_or({"attention_bias"}, false);
  a.query_key_norm = true;
  a.rope = read_rope(config, a.head_size, 10000, 1);
  a.windows = upper_windows(config, a.layers);
  if (config.is_gguf()) {
    place_in_gguf(config, a, false);
  } else {
    place_as_llama(a);
  }
  return a;
}

}  // namespace

Entry qwen3() {
  return {"qwen3",          "Qwen3",   "as Llama, with RMSNorm of each head's q and k before they turn",
          "Qwen Team 2025", {"qwen3"}, read_qwen3};
}

}  // namespace headlight::architectures
