// Numbers bent so that none exceeds a cap: y = cap tanh(x / cap).
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// in: x [rows, columns].  out: y
struct SoftCap {
  std::int64_t rows = 0, columns = 0;
  double cap = 1;
};
template <>
const Kind& kind_of<SoftCap>();

}  // namespace headlight::operations
