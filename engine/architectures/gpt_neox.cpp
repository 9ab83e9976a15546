// GPT-NeoX and Pythia: both parts of a layer read the same vectors, and a part of each head turns.
#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

void place_as_gpt_neox(Architecture& a) {
  a.prefix = "gpt_neox.";
  place(a, "embedding", "embed_in.weight");
  place_norm(a, "layer.N.attention_norm", "layers.N.input_layernorm");
  place_norm(a, "layer.N.mlp_norm", "layers.N.post_attention_layernorm");
  // The rows are head by head the head's q, its k and its v.
  StoredPlace part;
  part.rows = 3 * a.heads * a.head_size;
  part.block = a.head_size;
  part.step = 3 * a.head_size;
  for (const char* which : {"layer.N.q", "layer.N.k", "layer.N.v"}) {
    place_linear(a, which, "layers.N.attention.query_key_value", a.attention_bias, part);
    part.first += a.head_size;
  }
  place_linear(a, "layer.N.o", "layers.N.attention.dense", a.output_bias);
  place_linear(a, "layer.N._up", "layers.N.mlp.dense_h_to_4h", true);
  place_linear(a, "layer.N._down", "layers.N.mlp.dense_4h_to_h", true);
  place_norm(a, "final_norm", "final_layer_norm");
  place(a, "output", "embed_out.weight|lm_head.weight");
}

Architecture read_gpt_neox(Config& config) {
  config.presume({{"vocab_size", 50432},
                  {"num_hidden_layers", 44},
                  {"num_attention_heads", 64},
                  {"intermediate_size", 24576},
                  {"max_position_embeddings", 2048}});
  Architecture a;
  read_sizes(config, a, 0, 0);
  a.rms = false;
  a.gated = false;
  a.feed_forward_bias = true;
  a.attention_bias = a.output_bias = config.truth_or({"attention_bias"}, true);
  a.epsilon = config.real_or({"layer_norm_eps"}, 1e-5);
  a.tied = config.truth_or({"tie_word_embeddings"}, false);
  a.activation = config.activation({"hidden_act"}, "gelu");
  if (config.truth_or({"use_parallel_residual"}, true)) a.norms = Architecture::Norms::parallel;
  a.rope = read_rope(config, a.head_size, 10000, 0.25);
  if (config.is_gguf()) {
    place_in_gguf(config, a, false);
  } else {
    place_as_gpt_neox(a);
  }
  return a;
}

}  // namespace

Entry gpt_neox() {
  return {"gpt_neox",
          "GPT-NeoX",
          "x + attention(norm(x)) + feed_forward(norm(x)); rotary of a part of each head",
          "Black et al. 2022; Biderman et al. 2023 (Pythia)",
          {"gptneox"},
          read_gpt_neox};
}

}  // namespace headlight::architectures
