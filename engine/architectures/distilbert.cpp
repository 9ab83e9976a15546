// DistilBERT: BERT's plan without token types.
#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

void place_as_distilbert(Architecture& a) {
  a.prefix = "distilbert.";
  place(a, "embedding", "embeddings.word_embeddings.weight");
  place(a, "position", "embeddings.position_embeddings.weight");
  place_norm(a, "embedding_norm", "embeddings.LayerNorm");
  const std::string layer = "transformer.layer.N.";
  place_linear(a, "layer.N.q", layer + "attention.q_lin", true);
  place_linear(a, "layer.N.k", layer + "attention.k_lin", true);
  place_linear(a, "layer.N.v", layer + "attention.v_lin", true);
  place_linear(a, "layer.N.o", layer + "attention.out_lin", true);
  place_norm(a, "layer.N.attention_norm", layer + "sa_layer_norm");
  place_linear(a, "layer.N._up", layer + "ffn.lin1", true);
  place_linear(a, "layer.N._down", layer + "ffn.lin2", true);
  place_norm(a, "layer.N.mlp_norm", layer + "output_layer_norm");
}

Architecture read_distilbert(Config& config) {
  config.presume(
      {{"vocab_size", 30522}, {"n_layers", 6}, {"n_heads", 12}, {"hidden_dim", 3072}, {"max_position_embeddings", 512}});
  Architecture a;
  read_sizes(config, a, 0, 0);
  a.causal = a.predicts = false;
  a.rms = a.gated = a.final_norm = false;
  a.norms = Architecture::Norms::behind;
  a.embedding_norm = a.learned_positions = true;
  a.attention_bias = a.output_bias = a.feed_forward_bias = true;
  a.epsilon = 1e-12;
  a.activation = config.activation({"activation"}, "gelu");
  a.ignored = {"vocab_*", "pre_classifier*"};
  place_as_distilbert(a);
  return a;
}

}  // namespace

Entry distilbert() {
  return {"distilbert", "DistilBERT", "as BERT, without token types", "Sanh et al. 2019", {}, read_distilbert};
}

}  // namespace headlight::architectures
