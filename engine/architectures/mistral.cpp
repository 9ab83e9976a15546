// Mistral: Llama's plan with a window of keys in every layer.
#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

Architecture read_mistral(Config& config) {
  config.presume({{"vocab_size", 32000},
                  {"num_hidden_layers", 32},
                  {"num_attention_heads", 32},
                  {"intermediate_size", 14336},
                  {"max_position_embeddings", 131072}});
  Architecture a = read_llama_kin(config, 8, 0);
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
