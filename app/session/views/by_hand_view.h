// The saved state of the By hand view, and the case that is worked there.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct ByHandView {
  std::string preset = "three-words";  // an id of by_hand::registry()
  std::string own;  // the case as JSON (by_hand::to_json) once one of its numbers is changed; empty: the preset's case
  std::string stage = "scores";  // the chosen cell's stage, one of by_hand::kStages
  std::int64_t row = 1, column = 0;
  bool operator==(const ByHandView&) const = default;
};
const ViewSchema<ByHandView>& by_hand_view_schema();

}  // namespace headlight
