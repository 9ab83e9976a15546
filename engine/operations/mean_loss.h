// The loss of a batch: the mean over the rows that have a label.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// mean = sum of loss[i] over the rows with a label / number of these rows; 0 where no row has a label.
// in: loss [rows], labels i32 [rows] of -1 (no label) .. classes-1.  out: mean [1]
struct MeanLoss {
  std::int64_t rows = 0, classes = 0;
};
template <>
const Kind& kind_of<MeanLoss>();

}  // namespace headlight::operations
