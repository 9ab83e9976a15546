#include "engine/operations/soft_cap.h"

#include <cmath>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct SoftCapFunctions {
  static Status describe(const SoftCap& op, DType real, Signature& s) {
    HL_TRY(check_sizes("soft_cap", {{"rows", op.rows}, {"columns", op.columns}}));
    if (!(op.cap > 0) || !std::isfinite(op.cap)) return invalid("the cap must be a number > 0").at("soft_cap");
    s.input(real, {op.rows, op.columns});
    s.output({op.rows, op.columns}, {"row", "column"});
    return {};
  }
  template <class Real>
  static Status compute(const SoftCap& op, In in, Out out, const CancelToken& cancel) {
    const auto cap = static_cast<Real>(op.cap);
    const Real* x = real<Real>(in[0]);
    Real* y = real<Real>(out[0]);
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      for (std::int64_t i = row * op.columns; i < (row + 1) * op.columns; ++i) y[i] = cap * std::tanh(x[i] / cap);
    }
    return {};
  }
  template <class Real>
  static Status gradient(const SoftCap& op, const GradientArrays<Real>& g, const CancelToken&) {
    const auto cap = static_cast<Real>(op.cap);
    const Real* x = real<Real>(g.in[0]);
    for (std::int64_t i = 0; g.d[0] && i < op.rows * op.columns; ++i) {
      const Real bent = std::tanh(x[i] / cap);
      g.d[0][i] = g.dy[i] * (1 - bent * bent);
    }
    return {};
  }
  static void add_to(const SoftCap& op, Fingerprint& key) {
    const auto& [rows, columns, cap] = op;
    add_all(key, rows, columns);
    key.add(cap);
  }
  // A number: divide, tanh, multiply.
  static double flops(const SoftCap& op, bool) { return 3 * static_cast<double>(op.rows) * static_cast<double>(op.columns); }
  static std::vector<Operation> examples() { return {SoftCap{3, 33, 1.5}}; }
};

}  // namespace

template <>
const Kind& kind_of<SoftCap>() {
  static const Kind kind = make_kind<SoftCap, SoftCapFunctions>("soft_cap", "soft cap", "y = cap tanh(x / cap), number by number",
                                                                "Gemma Team 2024 (Gemma 2), 2");
  return kind;
}

}  // namespace headlight::operations
