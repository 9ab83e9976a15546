// GPT-2: learned positions, LayerNorm before each part, matrices stored [inputs, outputs].
#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

void place_as_gpt2(Architecture& a) {
  a.prefix = "transformer.";
  place(a, "embedding", "wte.weight");
  place(a, "position", "wpe.weight");
  place_norm(a, "layer.N.attention_norm", "h.N.ln_1");
  place_norm(a, "layer.N.mlp_norm", "h.N.ln_2");
  StoredPlace turned;
  turned.turned = true;
  StoredPlace part = turned;
  part.rows = 3 * a.d_model;
  for (const char* which : {"layer.N.q", "layer.N.k", "layer.N.v"}) {
    place_linear(a, which, "h.N.attn.c_attn", true, part);
    part.first += a.d_model;
  }
  place_linear(a, "layer.N.o", "h.N.attn.c_proj", true, turned);
  place_linear(a, "layer.N._up", "h.N.mlp.c_fc", true, turned);
  place_linear(a, "layer.N._down", "h.N.mlp.c_proj", true, turned);
  place_norm(a, "final_norm", "ln_f");
  place(a, "output", "lm_head.weight");
}

Architecture read_gpt2(Config& config) {
  config.presume({{"vocab_size", 50257}, {"n_layer", 12}, {"n_head", 12}, {"n_positions", 1024}});
  Architecture a;
  read_sizes(config, a, 0, 0);
  a.rms = false;
  a.gated = false;
  a.learned_positions = true;
  a.attention_bias = a.output_bias = a.feed_forward_bias = true;
  a.epsilon = config.real_or({"layer_norm_epsilon", "layer_norm_eps"}, 1e-5);
  a.tied = config.truth_or({"tie_word_embeddings"}, true);
  a.activation = config.activation({"activation_function"}, "gelu_new");
  if (!config.truth_or({"scale_attn_weights"}, true)) a.scale = 1;
  a.scale_by_layer = config.truth_or({"scale_attn_by_inverse_layer_idx"}, false);
  if (config.is_gguf()) {
    place_in_gguf(config, a, false);
  } else {
    place_as_gpt2(a);
  }
  return a;
}

}  // namespace

Entry gpt2() {
  return {"gpt2",   "GPT-2",  "learned positions; LayerNorm before each part; down(gelu(up(x)))", "Radford et al. 2019",
          {"gpt2"}, read_gpt2};
}

}  // namespace headlight::architectures
