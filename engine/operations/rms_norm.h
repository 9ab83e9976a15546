// RMSNorm: each row to mean square 1, then scaled; the mean stays where it is.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y = gamma x / sqrt(mean(x^2) + epsilon) over the last axis (Zhang and Sennrich 2019).
// in: x [rows, d], gamma [d].  out: y
struct RmsNorm {
  std::int64_t rows = 0, d = 0;
  double epsilon = 1e-5;
};
template <>
const Kind& kind_of<RmsNorm>();

}  // namespace headlight::operations
