// The token of the rows that the mouse points at; kept from frame to frame.
#pragma once

#include <cstdint>

namespace headlight::panels {

struct PointedToken {
  std::int64_t row = -1, token = -1;  // -1: none
};

}  // namespace headlight::panels
