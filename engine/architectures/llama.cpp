// Llama 1, 2 and 3, and what was built to the same plan: SmolLM2, TinyLlama. GGUF calls Mistral "llama", too.
#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

Architecture read_llama(Config& config) {
  config.presume({{"vocab_size", 32000},
                  {"num_hidden_layers", 32},
                  {"num_attention_heads", 32},
                  {"intermediate_size", 11008},
                  {"max_position_embeddings", 2048}});
  Architecture a = read_llama_kin(config, 0, 0);
  a.attention_bias = a.output_bias = config.truth_or({"attention_bias"}, false);
  a.feed_forward_bias = config.truth_or({"mlp_bias"}, false);
  if (config.whole_or({"num_local_experts"}, 0) > 0)
    config.refuse(failure(ErrorKind::unavailable, "a mixture of experts is not computed here")
                      .at(config.where())
                      .mend("open a model whose feed-forward parts are whole"));
  place_llama_kin(config, a, true);
  return a;
}

}  // namespace

Entry llama() {
  return {"llama",
          "Llama",
          "RMSNorm before each part; grouped queries, rotary; down(silu(gate(x)) up(x))",
          "Touvron et al. 2023; Llama Team 2024; Ben Allal et al. 2025 (SmolLM2)",
          {"llama"},
          read_llama};
}

}  // namespace headlight::architectures
