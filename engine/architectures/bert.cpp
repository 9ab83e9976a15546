// BERT, and the encoders of sentences that were made from it (MiniLM). RoBERTa differs in where positions begin.
#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

void place_as_bert(Architecture& a) {
  place(a, "embedding", "embeddings.word_embeddings.weight");
  place(a, "position", "embeddings.position_embeddings.weight");
  place_token_types(a, "embeddings.token_type_embeddings.weight");
  place_norm(a, "embedding_norm", "embeddings.LayerNorm");
  const std::string layer = "encoder.layer.N.";
  place_linear(a, "layer.N.q", layer + "attention.self.query", true);
  place_linear(a, "layer.N.k", layer + "attention.self.key", true);
  place_linear(a, "layer.N.v", layer + "attention.self.value", true);
  place_linear(a, "layer.N.o", layer + "attention.output.dense", true);
  place_norm(a, "layer.N.attention_norm", layer + "attention.output.LayerNorm");
  place_linear(a, "layer.N._up", layer + "intermediate.dense", true);
  place_linear(a, "layer.N._down", layer + "output.dense", true);
  place_norm(a, "layer.N.mlp_norm", layer + "output.LayerNorm");
}

}  // namespace

Architecture read_bert_like(Config& config, const char* prefix) {
  config.presume({{"vocab_size", 30522},
                  {"num_hidden_layers", 12},
                  {"num_attention_heads", 12},
                  {"intermediate_size", 3072},
                  {"max_position_embeddings", 512}});
  Architecture a;
  read_sizes(config, a, 0, 0);
  a.predicts = false;
  a.causal = config.truth_or({"is_decoder"}, false);
  a.rms = a.gated = a.final_norm = false;
  a.norms = Architecture::Norms::behind;
  a.embedding_norm = a.learned_positions = true;
  a.token_types = config.whole_or({"type_vocab_size"}, 2, 1);
  a.attention_bias = a.output_bias = a.feed_forward_bias = true;
  a.epsilon = config.real_or({"layer_norm_eps"}, 1e-12);
  a.activation = config.activation({"hidden_act"}, "gelu");
  const std::string positions = config.text_or({"position_embedding_type"}, "absolute");
  if (positions != "absolute")
    config.refuse(failure(ErrorKind::unavailable, "positions of the type '{}' are not computed here", positions)
                      .at(config.where())
                      .mend("open a model with absolute positions"));
  a.ignored = {"cls.*", "lm_head.*"};
  a.prefix = prefix;
  if (!config.is_gguf()) {
    place_as_bert(a);
    return a;
  }
  const checkpoints::StoredTensor* const types = config.file().find("token_types.weight");  // DistilBERT has none
  a.token_types = types && types->shape.size() == 2 ? types->shape[0] : 0;
  // RoBERTa's table was stored without the rows of its first places, which no token has.
  const checkpoints::StoredTensor* const table = config.file().find("position_embd.weight");
  if (table && table->shape.size() == 2) a.length = table->shape[0];
  place_in_gguf(config, a, false);
  return a;
}

namespace {

Architecture read_bert(Config& config) { return read_bert_like(config, "bert."); }

}  // namespace

Entry bert() {
  return {"bert",
          "BERT",
          "word + place + type, normed; norm(x + attention(x)); norm(x + feed_forward(x)); both directions",
          "Devlin et al. 2019; Wang et al. 2020 (MiniLM)",
          {"bert"},
          read_bert};
}

}  // namespace headlight::architectures
