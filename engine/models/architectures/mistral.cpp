// Mistral: Llama's plan with a window of keys in every layer.
#include "engine/models/architectures/architecture_entries.h"
#include "engine/models/architectures/published_config.h"

namespace headlight::architectures {
namespace {

Architecture read_mistral(Config& config) {
  Architecture a;
  read_sizes(config, a, 8, 0);
  a.epsilon = config.real_or({"rms_norm_eps"}, 1e-6);
  a.tied = config.truth_or({"tie_word_embeddings"}, false);
  a.activation = config.activation({"hidden_act"}, "silu");
  a.rope = read_rope(config, a.head_size, 10000, 1);
  // Absent it is 4096, null it is none.
  const std::int64_t window = config.whole_or({"sliding_window"}, config.contains("sliding_window") ? 0 : 4096);
  if (window > 0) a.windows.assign(static_cast<std::size_t>(a.layers), window - 1);
  place_as_llama(a);
  return a;
}

}  // namespace

Entry mistral() {
  return {"mistral", "Mistral", "as Llama, and a query sees a window of keys", "Jiang et al. 2023", {}, read_mistral};
}

}  // namespace headlight::architectures
