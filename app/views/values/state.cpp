#include "app/views/values/state.h"

namespace headlight {

StateKind values_state() { return state_kind<views::values::State>("values"); }

namespace views::values {

void State::fields(Fields& field) {
  field({"page", "values_page"}, page);
  field({"first", "values_first"}, first, 0);
  field({"dimensions", "values_dimensions"}, dimensions, 1, 256);
  field({"dimension", "values_dimension"}, dimension, -1);
  field({"one_scale", "values_one_scale"}, one_scale);
}

}  // namespace views::values
}  // namespace headlight
