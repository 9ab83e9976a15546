// The saved state of the Positions tab.
#pragma once

#include "app/fields/fields.h"

namespace headlight {

struct PositionsView {
  std::string picture;                   // one of position_pictures(), such as heatmap; empty: the program chooses
  std::vector<std::int64_t> dimensions;  // the dimensions with curves; empty: the program chooses
  std::int64_t count = 0;                // the number of shown positions, 2..256; 0: the program chooses
  bool operator==(const PositionsView&) const = default;
};
const ViewSchema<PositionsView>& positions_view_schema();

}  // namespace headlight
