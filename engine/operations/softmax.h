// Softmax over the last axis: scores to probabilities.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y = softmax(x / temperature) over the last axis.
// in: x [rows, columns].  out: y
struct Softmax {
  std::int64_t rows = 0, columns = 0;
  double temperature = 1;
};
template <>
const Kind& kind_of<Softmax>();

}  // namespace headlight::operations
