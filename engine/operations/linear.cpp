#include "engine/operations/linear.h"

#include <algorithm>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace plain {

template <class Real>
bool linear(const Linear& op, const Real* x, const Real* w, const Real* bias, Real* y, const CancelToken& cancel) {
  for (std::int64_t row = 0; row < op.rows; ++row) {
    if (cancel.cancelled()) return false;
    Real* out = y + row * op.columns;
    // y[column] = sum over i of x[i] W[i, column]; i outside, so that the inner loop walks along rows of W.
    std::fill(out, out + op.columns, Real(0));
    for (std::int64_t i = 0; i < op.inner; ++i) {
      const Real xi = x[row * op.inner + i];
      for (std::int64_t column = 0; column < op.columns; ++column) out[column] += xi * w[i * op.columns + column];
    }
    for (std::int64_t column = 0; column < op.columns; ++column)
      out[column] = activate(op.activation, out[column] + (bias ? bias[column] : Real(0)));
  }
  return true;
}
template bool linear(const Linear&, const float*, const float*, const float*, float*, const CancelToken&);
template bool linear(const Linear&, const double*, const double*, const double*, double*, const CancelToken&);

}  // namespace plain

namespace {

struct Functions {
  static Status describe(const Linear& op, DType real, Signature& s) {
    HL_TRY(check_sizes("linear", {{"rows", op.rows}, {"inner", op.inner}, {"columns", op.columns}}));
    s.input(real, {op.rows, op.inner});
    s.input(real, {op.inner, op.columns});
    if (op.bias) s.input(real, {op.columns});
    s.output({op.rows, op.columns}, {"row", "column"});
    return {};
  }
  template <class Real>
  static Status compute(const Linear& op, In in, Out out, const CancelToken& cancel) {
    const Real* bias = op.bias ? real<Real>(in[2]) : nullptr;
    return plain::linear(op, real<Real>(in[0]), real<Real>(in[1]), bias, real<Real>(out[0]), cancel) ? Status{} : cancelled();
  }
  static void add_to(const Linear& op, Fingerprint& key) {
    const auto& [rows, inner, columns, bias, activation] = op;
    add_all(key, rows, inner, columns, bias, activation);
  }
  static double flops(const Linear& op, bool) {
    const double rows = static_cast<double>(op.rows), inner = static_cast<double>(op.inner);
    const double columns = static_cast<double>(op.columns), activation = op.activation == ActivationKind::none ? 0 : 1;
    return 2 * rows * inner * columns + rows * columns * ((op.bias ? 1 : 0) + activation);
  }
  static std::vector<Operation> examples() {
    std::vector<Operation> all;
    for (const Activation& activation : activations()) all.push_back(Linear{3, 5, 33, true, activation.kind});
    return all;
  }
};

}  // namespace

template <>
const Kind& kind_of<Linear>() {
  static const Kind kind = make_kind<Linear, Functions>("linear", "matrix product", "y = activation(x W + b)", "a dense layer");
  return kind;
}

}  // namespace headlight::operations
