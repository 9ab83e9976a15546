// Qwen 1.5, 2 and 2.5: Llama's plan with biases of queries, keys and values.
#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

Architecture read_qwen2(Config& config) {
  config.presume({{"vocab_size", 151936},
                  {"num_hidden_layers", 32},
                  {"num_attention_heads", 32},
                  {"intermediate_size", 22016},
                  {"max_position_embeddings", 32768}});
  Architecture a = read_llama_kin(config, 32, 0);
  a.attention_bias = true;
  a.windows = upper_windows(config, a.layers);
  place_llama_kin(config, a);
  return a;
}

}  // namespace

Entry qwen2() { return {"qwen2", "Qwen2", "as Llama, with biases of q, k and v", "Qwen Team 2024", {"qwen2"}, read_qwen2}; }

}  // namespace headlight::architectures
