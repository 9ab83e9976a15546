// A matrix product with bias and activation: a projection.
#pragma once

#include <cstdint>

#include "engine/operations/activation.h"
#include "engine/operations/operation.h"

namespace headlight::operations {

// y[rows, columns] = activation(x[rows, inner] W[inner, columns] + b).
// in: x, W, b [columns] if bias.  out: y
struct Linear {
  std::int64_t rows = 0, inner = 0, columns = 0;
  bool bias = false;
  ActivationKind activation = ActivationKind::none;
  bool fixed_weights = false;  // W's memory is never written again: a backend may keep arrays that it makes from W
};
template <>
const Kind& kind_of<Linear>();

namespace plain {
// x [rows, inner], w [inner, columns], bias [columns] or null, y [rows, columns]. False: cancelled.
// linear({1, 2, 1}, x, w, nullptr, y, {}): y[0] = x[0] w[0] + x[1] w[1].
template <class Real>
bool linear(const Linear& op, const Real* x, const Real* w, const Real* bias, Real* y, const CancelToken& cancel);
extern template bool linear(const Linear&, const float*, const float*, const float*, float*, const CancelToken&);
extern template bool linear(const Linear&, const double*, const double*, const double*, double*, const CancelToken&);
}  // namespace plain

}  // namespace headlight::operations
