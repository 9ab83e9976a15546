// ModernBERT: an encoder with rotary positions, a gate, and a window in two layers of three.
#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

void place_as_modernbert(Architecture& a) {
  a.prefix = "model.";
  place(a, "embedding", "embeddings.tok_embeddings.weight");
  place_norm(a, "embedding_norm", "embeddings.norm");
  place_norm(a, "layer.N.attention_norm", "layers.N.attn_norm");
  StoredPlace part;
  part.rows = 3 * a.d_model;
  for (const char* which : {"layer.N.q", "layer.N.k", "layer.N.v"}) {
    place_linear(a, which, "layers.N.attn.Wqkv", a.attention_bias, part);
    part.first += a.d_model;
  }
  place_linear(a, "layer.N.o", "layers.N.attn.Wo", a.output_bias);
  place_norm(a, "layer.N.mlp_norm", "layers.N.mlp_norm");
  StoredPlace half;
  half.rows = 2 * a.d_ff;
  place_linear(a, "layer.N._gate", "layers.N.mlp.Wi", a.feed_forward_bias, half);
  half.first = a.d_ff;
  place_linear(a, "layer.N._up", "layers.N.mlp.Wi", a.feed_forward_bias, half);
  place_linear(a, "layer.N._down", "layers.N.mlp.Wo", a.feed_forward_bias);
  place_norm(a, "final_norm", "final_norm");
}

Architecture read_modernbert(Config& config) {
  config.presume({{"vocab_size", 50368},
                  {"num_hidden_layers", 22},
                  {"num_attention_heads", 12},
                  {"intermediate_size", 1152},
                  {"max_position_embeddings", 8192}});
  Architecture a;
  read_sizes(config, a, 0, 0);
  a.causal = a.predicts = false;
  a.rms = a.first_attention_norm = false;
  a.embedding_norm = true;
  a.norm_bias = config.truth_or({"norm_bias"}, false);
  a.epsilon = config.real_or({config.is_gguf() ? "layer_norm_eps" : "norm_eps"}, 1e-5);
  a.activation = config.activation({"hidden_activation"}, "gelu");
  a.attention_bias = a.output_bias = config.truth_or({"attention_bias"}, false);
  a.feed_forward_bias = config.truth_or({"mlp_bias"}, false);
  const bool gguf = config.is_gguf();
  const double base = config.real_or({gguf ? "rope_theta" : "global_rope_theta"}, 160000);
  a.rope = read_rope(config, a.head_size, base, 1, "full_attention");
  a.local_rope = read_rope(config, a.head_size, config.real_or({"local_rope_theta"}, 10000), 1, "sliding_attention");
  const std::int64_t window = config.whole_or({"local_attention", "sliding_window"}, 128) / 2;
  const std::int64_t period = config.whole_or({"global_attn_every_n_layers"}, 3, 1);
  std::vector<std::int64_t> windows;
  for (std::int64_t i = 0; i < a.layers; ++i) windows.push_back(i % period == 0 ? Architecture::kEverything : window);
  a.windows = read_windows(config, a.layers, window, std::move(windows));
  a.ignored = {"head.*", "decoder.*", "layers.0.attn_norm.*"};
  if (gguf) {
    place_in_gguf(config, a, false);
  } else {
    place_as_modernbert(a);
  }
  return a;
}

}  // namespace

Entry modernbert() {
  return {"modernbert",
          "ModernBERT",
          "rotary; LayerNorm before each part; gelu gate; windows in two layers of three; both directions",
          "Warner et al. 2024",
          {"modern-bert"},
          read_modernbert};
}

}  // namespace headlight::architectures
