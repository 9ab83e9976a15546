#include "app/views/walk/state.h"

namespace headlight {

StateKind walk_state() { return state_kind<views::walk::State>("walk"); }

namespace views::walk {

void State::fields(Fields& field) {
  field({"step", "walk_step"}, step);
  field({"open", "walk_open"}, open);
  field({"page", "walk_page"}, page);
  field({"draw", "walk_draw"}, draw);
}

}  // namespace views::walk
}  // namespace headlight
