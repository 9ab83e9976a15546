// Qwen 1.5, 2 and 2.5: Llama's plan with biases of queries, keys and values.
#include "engine/models/architectures/architecture_entries.h"
#include "engine/models/architectures/published_config.h"

namespace headlight::architectures {
namespace {

Architecture read_qwen2(Config& config) {
  Architecture a;
  read_sizes(config, a, 32, 0);
  a.epsilon = config.real_or({"rms_norm_eps"}, 1e-6);
  a.tied = config.truth_or({"tie_word_embeddings"}, false);
  a.activation = config.activation({"hidden_act"}, "silu");
  a.attention_bias = true;
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

Entry qwen2() { return {"qwen2", "Qwen2", "as Llama, with biases of q, k and v", "Qwen Team 2024", {"qwen2"}, read_qwen2}; }

}  // namespace headlight::architectures
