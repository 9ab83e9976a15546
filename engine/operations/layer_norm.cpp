#include "engine/operations/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct LayerNormFunctions {
  static Status describe(const LayerNorm& op, DType real, Signature& s) {
    HL_TRY(check_sizes("layer_norm", {{"rows", op.rows}, {"d", op.d}}));
    HL_TRY(check_epsilon(op.epsilon, "layer_norm"));
    s.input(real, {op.rows, op.d});
    s.input(real, {op.d});
    if (op.bias) s.input(real, {op.d});
    s.output({op.rows, op.d}, {"row", "d_model"});
    return {};
  }
  template <class Real>
  static Status compute(const LayerNorm& op, In in, Out out, const CancelToken& cancel) {
    const Real* gamma = real<Real>(in[1]);
    const Real* beta = op.bias ? real<Real>(in[2]) : nullptr;
    const auto d = static_cast<Real>(op.d);
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      const Real* x = real<Real>(in[0]) + row * op.d;
      Real* y = real<Real>(out[0]) + row * op.d;
      Real mean = 0;
      for (std::int64_t i = 0; i < op.d; ++i) mean += x[i] / d;
      Real variance = 0;
      for (std::int64_t i = 0; i < op.d; ++i) variance += (x[i] - mean) * (x[i] - mean) / d;
      const Real deviation = std::sqrt(variance + static_cast<Real>(op.epsilon));
      for (std::int64_t i = 0; i < op.d; ++i) y[i] = gamma[i] * (x[i] - mean) / deviation + (beta ? beta[i] : Real(0));
    }
    return {};
  }
  template <class Real>
  static Status gradient(const LayerNorm& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    const Real* gamma = real<Real>(g.in[1]);
    const auto d = static_cast<Real>(op.d);
    Real* const dgamma = g.d[1];
    Real* const dbeta = op.bias ? g.d[2] : nullptr;
    if (dgamma) std::fill_n(dgamma, op.d, Real(0));
    if (dbeta) std::fill_n(dbeta, op.d, Real(0));
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      const Real* x = real<Real>(g.in[0]) + row * op.d;
      const Real* dy = g.dy + row * op.d;
      // In double even for float: far from 0 little is left of x - mean.
      double mean = 0, variance = 0;
      for (std::int64_t i = 0; i < op.d; ++i) mean += static_cast<double>(x[i]) / static_cast<double>(op.d);
      for (std::int64_t i = 0; i < op.d; ++i) variance += (x[i] - mean) * (x[i] - mean) / static_cast<double>(op.d);
      const auto deviation = static_cast<Real>(std::sqrt(variance + op.epsilon));
      // With n = (x - mean) / deviation and h = dy gamma: dx = (h - mean(h) - n mean(h n)) / deviation.
      Real mean_h = 0, mean_hn = 0;
      for (std::int64_t i = 0; i < op.d; ++i) {
        const Real n = static_cast<Real>(x[i] - mean) / deviation, h = dy[i] * gamma[i];
        mean_h += h / d;
        mean_hn += h * n / d;
        if (dgamma) dgamma[i] += dy[i] * n;
        if (dbeta) dbeta[i] += dy[i];
      }
      for (std::int64_t i = 0; g.d[0] && i < op.d; ++i)
        g.d[0][row * op.d + i] = (dy[i] * gamma[i] - mean_h - static_cast<Real>(x[i] - mean) / deviation * mean_hn) / deviation;
    }
    return {};
  }
  static void add_to(const LayerNorm& op, Fingerprint& key) {
    const auto& [rows, d, epsilon, bias] = op;
    add_all(key, rows, d, bias);
    key.add(epsilon);
  }
  static double flops(const LayerNorm& op, bool) { return 8 * static_cast<double>(op.rows) * static_cast<double>(op.d); }
  static std::vector<Operation> examples() { return {LayerNorm{3, 33}, LayerNorm{3, 33, 1e-5, false}}; }
};

}  // namespace

template <>
const Kind& kind_of<LayerNorm>() {
  static const Kind kind = make_kind<LayerNorm, LayerNormFunctions>(
      "layer_norm", "LayerNorm", "y = gamma (x - mean) / sqrt(variance + epsilon) + beta", "Ba et al. 2016");
  return kind;
}

}  // namespace headlight::operations
