// The inspector's page, and the pinned value that it explains if that value is no attention cell.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct InspectorView {
  std::string step;                 // the pinned value's step; empty: none is pinned
  std::vector<std::int64_t> index;  // the value's place in that step, one number an axis
  std::string shows = "numbers";    // numbers; what if: the selected head taken out, and the effect
  bool operator==(const InspectorView&) const = default;
};
const ViewSchema<InspectorView>& inspector_view_schema();

}  // namespace headlight
