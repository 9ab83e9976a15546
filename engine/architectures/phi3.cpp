// Phi-3: Llama's plan, with q, k and v in one matrix and gate and up in another.
#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

void place_as_phi3(Architecture& a) {
  place_as_llama(a);
  const std::int64_t q = a.heads * a.head_size, k = a.kv_heads * a.head_size;
  const std::string projections = "layers.N.self_attn.qkv_proj.weight", gates = "layers.N.mlp.gate_up_proj.weight";
  place_part(a, "layer.N.wq", projections, q + 2 * k, 0);
  place_part(a, "layer.N.wk", projections, q + 2 * k, q);
  place_part(a, "layer.N.wv", projections, q + 2 * k, q + k);
  place_part(a, "layer.N.w_gate", gates, 2 * a.d_ff, 0);
  place_part(a, "layer.N.w_up", gates, 2 * a.d_ff, a.d_ff);
}

Architecture read_phi3(Config& config) {
  config.presume({{"vocab_size", 32064},
                  {"num_hidden_layers", 32},
                  {"num_attention_heads", 32},
                  {"intermediate_size", 8192},
                  {"max_position_embeddings", 4096},
                  {"original_max_position_embeddings", 4096}});
  Architecture a = read_llama_kin(config, 0, 0, 1e-5);
  const std::int64_t window = config.whole_or({"sliding_window"}, 0);
  if (window > 0) a.windows.assign(static_cast<std::size_t>(a.layers), window - 1);
  if (config.is_gguf()) {
    place_in_gguf(config, a, false);
  } else {
    place_as_phi3(a);
  }
  return a;
}

}  // namespace

Entry phi3() {
  return {"phi3",   "Phi-3",  "as Llama, with q, k, v in one matrix and gate, up in another", "Abdin et al. 2024",
          {"phi3"}, read_phi3};
}

}  // namespace headlight::architectures
