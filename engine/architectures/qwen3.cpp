// Qwen3: Llama's plan with a norm of each head's queries and keys.
#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

Architecture read_qwen3(Config& config) {
  config.presume({{"vocab_size", 151936},
                  {"num_hidden_layers", 32},
                  {"num_attention_heads", 32},
                  {"intermediate_size", 22016},
                  {"max_position_embeddings", 32768}});
  Architecture a = read_llama_kin(config, 32, 128);
  a.attention_bias = a.output_bias = config.truth_or({"attention_bias"}, false);
  a.query_key_norm = true;
  a.windows = upper_windows(config, a.layers);
  place_llama_kin(config, a);
  return a;
}

}  // namespace

Entry qwen3() {
  return {"qwen3",          "Qwen3",   "as Llama, with RMSNorm of each head's q and k before they turn",
          "Qwen Team 2025", {"qwen3"}, read_qwen3};
}

}  // namespace headlight::architectures
