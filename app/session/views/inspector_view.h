// What the inspector shows, and the value that it writes out: any of any step, when one is pinned that is no attention cell.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct InspectorView {
  std::string step;                 // the pinned value's step; empty: none is pinned
  std::vector<std::int64_t> index;  // and its place in that step, one number an axis
  std::string shows = "numbers";    // numbers; what if: the selected head taken out, and what that does
  bool operator==(const InspectorView&) const = default;
};
const ViewSchema<InspectorView>& inspector_view_schema();

}  // namespace headlight
