// RoBERTa: BERT's plan; the first token stands at the place behind the padding's id.
#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"

namespace headlight::architectures {
namespace {

Architecture read_roberta(Config& config) {
  config.presume({{"vocab_size", 50265}});
  Architecture a = read_bert_like(config, "roberta.");
  const std::int64_t first = config.whole_or({"pad_token_id"}, 1) + 1;
  for (StoredPlace& one : a.places) {
    if (one.parameter != "position") continue;
    one.rows = a.length;
    one.first = first;
  }
  a.length -= first;
  if (a.length < 1) config.refuse(invalid("'max_position_embeddings' leaves no place for a token").at(config.where()));
  return a;
}

}  // namespace

Entry roberta() {
  return {"roberta", "RoBERTa", "as BERT, with places counted from the padding's id", "Liu et al. 2019", {}, read_roberta};
}

}  // namespace headlight::architectures
