#include "app/views/by_hand/state.h"

namespace headlight {

StateKind by_hand_state() { return state_kind<views::hand::State>("by_hand"); }

namespace views::hand {

void State::fields(Fields& field) {
  field({"preset", "by_hand_preset", kUndone}, preset);
  field({"own", "by_hand_own", kUndone}, own);
  field({"stage", "by_hand_stage"}, stage);
  field({"row", "by_hand_row"}, row, 0, 11);
  field({"column", "by_hand_column"}, column, 0, 11);
}

}  // namespace views::hand
}  // namespace headlight
