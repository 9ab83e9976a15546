#include "engine/operations/rms_norm.h"

#include <algorithm>
#include <cmath>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct RmsNormFunctions {
  static Status describe(const RmsNorm& op, DType real, Signature& s) {
    HL_TRY(check_sizes("rms_norm", {{"rows", op.rows}, {"d", op.d}}));
    HL_TRY(check_epsilon(op.epsilon, "rms_norm"));
    s.input(real, {op.rows, op.d});
    s.input(real, {op.d});
    s.output({op.rows, op.d}, {"row", "d_model"});
    return {};
  }
  template <class Real>
  static Status compute(const RmsNorm& op, In in, Out out, const CancelToken& cancel) {
    const Real* gamma = real<Real>(in[1]);
    const auto d = static_cast<Real>(op.d);
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      const Real* x = real<Real>(in[0]) + row * op.d;
      Real* y = real<Real>(out[0]) + row * op.d;
      Real mean_square = 0;
      for (std::int64_t i = 0; i < op.d; ++i) mean_square += x[i] * x[i] / d;
      const Real size = std::sqrt(mean_square + static_cast<Real>(op.epsilon));
      for (std::int64_t i = 0; i < op.d; ++i) y[i] = gamma[i] * x[i] / size;
    }
    return {};
  }
  template <class Real>
  static Status gradient(const RmsNorm& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    const Real* gamma = real<Real>(g.in[1]);
    const auto d = static_cast<Real>(op.d);
    if (g.d[1]) std::fill_n(g.d[1], op.d, Real(0));
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      const Real* x = real<Real>(g.in[0]) + row * op.d;
      const Real* dy = g.dy + row * op.d;
      Real mean_square = 0;
      for (std::int64_t i = 0; i < op.d; ++i) mean_square += x[i] * x[i] / d;
      const Real size = std::sqrt(mean_square + static_cast<Real>(op.epsilon));
      // With n = x / size and h = dy gamma: dx = (h - n mean(h n)) / size.
      Real mean_hn = 0;
      for (std::int64_t i = 0; i < op.d; ++i) {
        mean_hn += dy[i] * gamma[i] * (x[i] / size) / d;
        if (g.d[1]) g.d[1][i] += dy[i] * (x[i] / size);
      }
      for (std::int64_t i = 0; g.d[0] && i < op.d; ++i)
        g.d[0][row * op.d + i] = (dy[i] * gamma[i] - x[i] / size * mean_hn) / size;
    }
    return {};
  }
  static void add_to(const RmsNorm& op, Fingerprint& key) {
    const auto& [rows, d, epsilon] = op;
    add_all(key, rows, d);
    key.add(epsilon);
  }
  static double flops(const RmsNorm& op, bool) { return 4 * static_cast<double>(op.rows) * static_cast<double>(op.d); }
  static std::vector<Operation> examples() { return {RmsNorm{3, 33}}; }
};

}  // namespace

template <>
const Kind& kind_of<RmsNorm>() {
  static const Kind kind = make_kind<RmsNorm, RmsNormFunctions>("rms_norm", "RMSNorm", "y = gamma x / sqrt(mean(x^2) + epsilon)",
                                                                "Zhang and Sennrich 2019");
  return kind;
}

}  // namespace headlight::operations
