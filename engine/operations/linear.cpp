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

struct LinearFunctions {
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
  template <class Real>
  static Status gradient(const Linear& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    const Real* x = real<Real>(g.in[0]);
    const Real* w = real<Real>(g.in[1]);
    const auto count = static_cast<std::size_t>(op.rows * op.columns);
    // dz: by x W + b, before the activation, which is made again since only what came behind it was kept.
    std::vector<Real> dz(g.dy, g.dy + count);
    if (op.activation != ActivationKind::none) {
      Linear before = op;
      before.activation = ActivationKind::none;
      std::vector<Real> z(count);
      if (!plain::linear(before, x, w, op.bias ? real<Real>(g.in[2]) : nullptr, z.data(), cancel)) return cancelled();
      for (std::size_t i = 0; i < count; ++i) dz[i] *= slope(op.activation, z[i]);
    }
    if (g.d[1]) std::fill_n(g.d[1], op.inner * op.columns, Real(0));
    if (op.bias && g.d[2]) std::fill_n(g.d[2], op.columns, Real(0));
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      const Real* from = dz.data() + row * op.columns;
      for (std::int64_t i = 0; i < op.inner; ++i) {
        Real sum = 0;  // dx = dz W^T
        for (std::int64_t column = 0; column < op.columns; ++column) sum += from[column] * w[i * op.columns + column];
        if (g.d[0]) g.d[0][row * op.inner + i] = sum;
        for (std::int64_t column = 0; g.d[1] && column < op.columns; ++column)  // dW = x^T dz
          g.d[1][i * op.columns + column] += x[row * op.inner + i] * from[column];
      }
      for (std::int64_t column = 0; op.bias && g.d[2] && column < op.columns; ++column) g.d[2][column] += from[column];
    }
    return {};
  }
  static void add_to(const Linear& op, Fingerprint& key) {
    const auto& [rows, inner, columns, bias, activation, fixed_weights] = op;
    add_all(key, rows, inner, columns, bias, activation, fixed_weights);
  }
  static double flops(const Linear& op, bool) {
    const double rows = static_cast<double>(op.rows), inner = static_cast<double>(op.inner);
    const double columns = static_cast<double>(op.columns), activation = op.activation == ActivationKind::none ? 0 : 1;
    return 2 * rows * inner * columns + rows * columns * ((op.bias ? 1 : 0) + activation);
  }
  static std::vector<Operation> examples() {
    std::vector<Operation> all;
    for (const Activation& activation : activations()) all.push_back(Linear{3, 5, 33, true, activation.kind});
    all.push_back(Linear{3, 130, 33, true, ActivationKind::none, true});
    return all;
  }
};

}  // namespace

template <>
const Kind& kind_of<Linear>() {
  static const Kind kind =
      make_kind<Linear, LinearFunctions>("linear", "matrix product", "y = activation(x W + b)", "a dense layer");
  return kind;
}

}  // namespace headlight::operations
