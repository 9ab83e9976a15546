#include "app/views/positions/state.h"

namespace headlight {

StateKind positions_state() { return state_kind<views::placed::State>("positions"); }

namespace views::placed {

void State::fields(Fields& field) {
  field({"picture", "position_view"}, picture);
  field({"dimensions", "position_dims"}, dimensions);
  field({"count", "position_count", kUndone}, count);
}

}  // namespace views::placed
}  // namespace headlight
