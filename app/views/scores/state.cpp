#include "app/views/scores/state.h"

namespace headlight {

StateKind scores_state() { return state_kind<views::scored::State>("scores"); }

namespace views::scored {

void State::fields(Fields& field) {
  field({"page", "scores_page"}, page);
  field({"relation", "scores_relation"}, relation);
  field({"factor", "scores_factor"}, factor, 0, 1e6);
  field({"masked", "scores_masked"}, masked);
}

}  // namespace views::scored
}  // namespace headlight
