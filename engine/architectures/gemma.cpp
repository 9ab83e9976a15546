// Gemma 1: Llama's plan with larger embeddings, norms by 1 + w and a gate of GELU.
#include <cmath>

#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

Architecture read_gemma(Config& config) {
  config.presume({{"vocab_size", 256000},
                  {"num_hidden_layers", 28},
                  {"num_attention_heads", 16},
                  {"intermediate_size", 24576},
                  {"max_position_embeddings", 8192}});
  Architecture a;
  read_sizes(config, a, 16, 256);
  a.epsilon = config.real_or({"rms_norm_eps"}, 1e-6);
  a.tied = config.truth_or({"tie_word_embeddings"}, true);
  a.activation = config.activation({"hidden_activation", "hidden_act"}, "gelu_pytorch_tanh");
  // "hidden_act" says gelu in its first files and means GELU by tanh.
  if (!config.find({"hidden_activation"}) && a.activation == "gelu") a.activation = "gelu_tanh";
  a.attention_bias = a.output_bias = config.truth_or({"attention_bias"}, false);
  a.embedding_scale = std::sqrt(static_cast<float>(a.d_model));
  a.norm_adds_one = true;
  a.rope = read_rope(config, a.head_size, 10000, 1);
  refuse_both_directions(config);
  place_llama_kin(config, a);
  return a;
}

}  // namespace

Entry gemma() {
  return {"gemma",           "Gemma",   "as Llama, with embeddings times sqrt(d_model), norms by 1 + w and a GELU gate",
          "Gemma Team 2024", {"gemma"}, read_gemma};
}

}  // namespace headlight::architectures
