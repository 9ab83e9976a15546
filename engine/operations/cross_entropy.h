// Softmax cross-entropy: the loss of a row of scores against a label.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// loss[i] = log sum_j exp(x[i, j]) - (1 - s) x[i, label] - s mean_j x[i, j] in nats, with label smoothing s (Szegedy et al. 2016,
// 7); 0 where the label is -1, which is no label.
// in: x [rows, classes], labels i32 [rows] of -1 .. classes-1.  out: loss [rows], log_sum [rows] (of exp(x))
struct CrossEntropy {
  std::int64_t rows = 0, classes = 0;
  double smoothing = 0;
};
template <>
const Kind& kind_of<CrossEntropy>();

// Checks that every label is within -1 .. classes-1. Error (invalid) names the first label that is not.
// check_labels({-1, 0, 2}, 3) passes, check_labels({3}, 3) fails (labels as an i32 tensor).
Status check_labels(const Tensor& labels, std::int64_t classes);

}  // namespace headlight::operations
