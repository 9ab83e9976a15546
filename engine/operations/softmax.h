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

namespace plain {
// weights = softmax(scores / temperature) over `count` scores, in place allowed. All scores -inf: all weights 0.
// softmax(scores, 2, 1, weights) of the scores {3, 3} gives {.5, .5}.
template <class Real>
void softmax(const Real* scores, std::int64_t count, double temperature, Real* weights);
extern template void softmax(const float*, std::int64_t, double, float*);
extern template void softmax(const double*, std::int64_t, double, double*);
}  // namespace plain

}  // namespace headlight::operations
