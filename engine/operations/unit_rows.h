// Rows divided by their length, so that a dot product of two is their cosine.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y = x / max(|x|, epsilon) over the last axis.
// in: x [rows, d].  out: y
struct UnitRows {
  std::int64_t rows = 0, d = 0;
  double epsilon = 1e-12;
};
template <>
const Kind& kind_of<UnitRows>();

}  // namespace headlight::operations
