#include "app/views/values/state.h"

namespace headlight {

StateKind values_state() { return state_kind<views::values::State>("values"); }

namespace views::values {

void State::fields(Fields& field) {
  field({"page", "values_page"}, page);
  field({.key = "first", .former = "values_first", .undone = kUndone}, first, 0);
  field({.key = "dimensions", .former = "values_dimensions", .undone = kUndone}, dimensions, 1, 256);
  field({"dimension", "values_dimension"}, dimension, -1);
  field({"one_scale", "values_one_scale"}, one_scale);
}

}  // namespace views::values
}  // namespace headlight
