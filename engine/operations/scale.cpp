#include "engine/operations/scale.h"

#include <cmath>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct ScaleFunctions {
  static Status describe(const Scale& op, DType real, Signature& s) {
    HL_TRY(check_sizes("scale", {{"rows", op.rows}, {"columns", op.columns}}));
    if (!std::isfinite(op.factor)) return invalid("the factor is not a finite number").at("scale");
    s.input(real, {op.rows, op.columns});
    s.output({op.rows, op.columns}, {"row", "column"});
    return {};
  }
  template <class Real>
  static Status compute(const Scale& op, In in, Out out, const CancelToken& cancel) {
    const Real* x = real<Real>(in[0]);
    Real* y = real<Real>(out[0]);
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      for (std::int64_t i = row * op.columns; i < (row + 1) * op.columns; ++i) y[i] = x[i] * static_cast<Real>(op.factor);
    }
    return {};
  }
  template <class Real>
  static Status gradient(const Scale& op, const GradientArrays<Real>& g, const CancelToken&) {
    for (std::int64_t i = 0; g.d[0] && i < op.rows * op.columns; ++i) g.d[0][i] = g.dy[i] * static_cast<Real>(op.factor);
    return {};
  }
  static void add_to(const Scale& op, Fingerprint& key) {
    const auto& [rows, columns, factor] = op;
    add_all(key, rows, columns);
    key.add(factor);
  }
  static double flops(const Scale& op, bool) { return static_cast<double>(op.rows) * static_cast<double>(op.columns); }
  static std::vector<Operation> examples() { return {Scale{3, 33, 5.5}}; }
};

}  // namespace

template <>
const Kind& kind_of<Scale>() {
  static const Kind kind = make_kind<Scale, ScaleFunctions>("scale", "scaling", "y = factor x, number by number",
                                                            "Vaswani et al. 2017, 3.4: embeddings times the root of d_model");
  return kind;
}

}  // namespace headlight::operations
