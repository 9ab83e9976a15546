// The saved state of the Positions view.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/fields/fields.h"

namespace headlight::views::placed {

struct State {
  std::string picture;                   // one of position_pictures(), such as heatmap; empty: the program chooses
  std::vector<std::int64_t> dimensions;  // the dimensions with curves; empty: the program chooses
  std::int64_t count = 0;                // the number of shown positions, 2..256; 0: the program chooses
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::placed
