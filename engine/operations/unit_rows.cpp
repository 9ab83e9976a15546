#include "engine/operations/unit_rows.h"

#include <algorithm>
#include <cmath>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct UnitRowsFunctions {
  static Status describe(const UnitRows& op, DType real, Signature& s) {
    HL_TRY(check_sizes("unit_rows", {{"rows", op.rows}, {"d", op.d}}));
    HL_TRY(check_epsilon(op.epsilon, "unit_rows"));
    s.input(real, {op.rows, op.d});
    s.output({op.rows, op.d}, {"row", "d_k"});
    return {};
  }
  template <class Real>
  static Status compute(const UnitRows& op, In in, Out out, const CancelToken& cancel) {
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      const Real* x = real<Real>(in[0]) + row * op.d;
      Real* y = real<Real>(out[0]) + row * op.d;
      Real square = 0;
      for (std::int64_t i = 0; i < op.d; ++i) square += x[i] * x[i];
      const Real length = std::max(std::sqrt(square), static_cast<Real>(op.epsilon));
      for (std::int64_t i = 0; i < op.d; ++i) y[i] = x[i] / length;
    }
    return {};
  }
  template <class Real>
  static Status gradient(const UnitRows& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    if (!g.d[0]) return {};
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      const Real* x = real<Real>(g.in[0]) + row * op.d;
      const Real* dy = g.dy + row * op.d;
      Real square = 0, along = 0;
      for (std::int64_t i = 0; i < op.d; ++i) square += x[i] * x[i];
      for (std::int64_t i = 0; i < op.d; ++i) along += dy[i] * x[i];
      const Real length = std::sqrt(square), epsilon = static_cast<Real>(op.epsilon);
      // What points along x changes its length only, which the division takes away; a row shorter than epsilon keeps its divisor.
      for (std::int64_t i = 0; i < op.d; ++i)
        g.d[0][row * op.d + i] = length > epsilon ? (dy[i] - x[i] * along / square) / length : dy[i] / epsilon;
    }
    return {};
  }
  static void add_to(const UnitRows& op, Fingerprint& key) {
    const auto& [rows, d, epsilon] = op;
    add_all(key, rows, d);
    key.add(epsilon);
  }
  static double flops(const UnitRows& op, bool) { return 3 * static_cast<double>(op.rows) * static_cast<double>(op.d); }
  static std::vector<Operation> examples() { return {UnitRows{3, 33}}; }
};

}  // namespace

template <>
const Kind& kind_of<UnitRows>() {
  static const Kind kind = make_kind<UnitRows, UnitRowsFunctions>(
      "unit_rows", "rows of length 1", "y = x / max(|x|, epsilon), row by row",
      "Luong et al. 2015 and Henry et al. 2020: the cosine of query and key is the product of their unit vectors");
  return kind;
}

}  // namespace headlight::operations
