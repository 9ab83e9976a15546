#include "app/views/heads/state.h"

namespace headlight {

StateKind heads_state() { return state_kind<views::heads::State>("heads"); }

namespace views::heads {

void State::fields(Fields& field) {
  field({"picture", "head_view"}, picture);
  field({"together", "together"}, together);
  field({"order", "head_order"}, order);
  field({"filter", "head_filter"}, filter);
  field({.key = "arc_share", .former = "arc_share", .undone = kUndone}, arc_share);
  field({"cells", "heads_cells"}, cells);
  field({"thumbnail", "thumbnail"}, thumbnail, -1, 400);
  field({"first_layer", "heads_first_layer"}, first_layer, -1);
  field({"last_layer", "heads_last_layer"}, last_layer, -1);
}

}  // namespace views::heads
}  // namespace headlight
