#include "engine/operations/layer_norm.h"

#include <cmath>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct Functions {
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
  static const Kind kind = make_kind<LayerNorm, Functions>(
      "layer_norm", "LayerNorm", "y = gamma (x - mean) / sqrt(variance + epsilon) + beta", "Ba et al. 2016");
  return kind;
}

}  // namespace headlight::operations
