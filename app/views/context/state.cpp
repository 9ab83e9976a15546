#include "app/views/context/state.h"

namespace headlight {

StateKind context_state() { return state_kind<views::contexts::State>("context"); }

namespace views::contexts {

void State::fields(Fields& field) {
  field({"word", "context_word"}, word);
  field({"sentences", "context_sentences"}, sentences);
  field({"probes", "context_probes"}, probes);
  field({"layer", "context_layer"}, layer, -1);
  field({"sentence", "context_sentence"}, sentence, 0, 5);
  field({"measure", "context_measure"}, measure);
  field({"plane", "context_plane"}, plane);
  field({"head", "context_head"}, head, 0);
  field({"query", "context_query"}, query, -1);
}

}  // namespace views::contexts
}  // namespace headlight
