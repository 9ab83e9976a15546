#include "engine/operations/softmax.h"

#include <cmath>
#include <limits>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace plain {

template <class Real>
void softmax(const Real* scores, std::int64_t count, double temperature, Real* weights) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  // The largest score is taken off first, so that exp never overflows; the quotient is the same.
  Real largest = -infinity;
  bool any_nan = false;
  for (std::int64_t j = 0; j < count; ++j) {
    if (std::isnan(scores[j])) any_nan = true;
    if (scores[j] > largest) largest = scores[j];
  }
  // Nothing may be attended to: 0/0 by the formula, all zeros by our definition.
  if (largest == -infinity && !any_nan) {
    for (std::int64_t j = 0; j < count; ++j) weights[j] = 0;
    return;
  }
  Real sum = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    weights[j] = std::exp((scores[j] - largest) / static_cast<Real>(temperature));
    sum += weights[j];
  }
  for (std::int64_t j = 0; j < count; ++j) weights[j] = any_nan ? std::numeric_limits<Real>::quiet_NaN() : weights[j] / sum;
}
template void softmax(const float*, std::int64_t, double, float*);
template void softmax(const double*, std::int64_t, double, double*);

}  // namespace plain

namespace {

struct SoftmaxFunctions {
  static Status describe(const Softmax& op, DType real, Signature& s) {
    HL_TRY(check_sizes("softmax", {{"rows", op.rows}, {"columns", op.columns}}));
    if (!(op.temperature > 0) || !std::isfinite(op.temperature))
      return invalid("the softmax temperature is {}", std::to_string(op.temperature))
          .at("softmax")
          .mend("it must be greater than 0");
    s.input(real, {op.rows, op.columns});
    s.output({op.rows, op.columns}, {"row", "column"});
    return {};
  }
  template <class Real>
  static Status compute(const Softmax& op, In in, Out out, const CancelToken& cancel) {
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      plain::softmax(real<Real>(in[0]) + row * op.columns, op.columns, op.temperature, real<Real>(out[0]) + row * op.columns);
    }
    return {};
  }
  template <class Real>
  static Status gradient(const Softmax& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    for (std::int64_t row = 0; g.d[0] && row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      const Real* y = real<Real>(g.out[0]) + row * op.columns;
      const Real* dy = g.dy + row * op.columns;
      // The numbers of a row sum to 1, so only what exceeds their mean gradient counts.
      Real mean = 0;
      for (std::int64_t i = 0; i < op.columns; ++i) mean += y[i] * dy[i];
      for (std::int64_t i = 0; i < op.columns; ++i)
        g.d[0][row * op.columns + i] = y[i] * (dy[i] - mean) / static_cast<Real>(op.temperature);
    }
    return {};
  }
  static void add_to(const Softmax& op, Fingerprint& key) {
    const auto& [rows, columns, temperature] = op;
    add_all(key, rows, columns);
    key.add(temperature);
  }
  static double flops(const Softmax& op, bool) { return 5 * static_cast<double>(op.rows) * static_cast<double>(op.columns); }
  static std::vector<Operation> examples() { return {Softmax{3, 33}, Softmax{3, 33, 2}}; }
};

}  // namespace

template <>
const Kind& kind_of<Softmax>() {
  static const Kind kind = make_kind<Softmax, SoftmaxFunctions>(
      "softmax", "softmax", "y[i, j] = exp(x[i, j] / T) / sum_j exp(x[i, j] / T)", "Bridle 1990");
  return kind;
}

}  // namespace headlight::operations
