#include "app/views/masks/state.h"

namespace headlight {

StateKind masks_state() { return state_kind<views::masked::State>("masks"); }

namespace views::masked {

void State::fields(Fields& field) {
  field({"tool", "mask_tool"}, tool);
  field({"allows", "mask_allows"}, allows);
  field({"shows", "mask_shows"}, shows);
  field({"page", "mask_page"}, page);
  field({"row", "mask_row"}, row);
}

}  // namespace views::masked
}  // namespace headlight
