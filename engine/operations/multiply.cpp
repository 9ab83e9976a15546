#include "engine/operations/multiply.h"

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct MultiplyFunctions {
  static Status describe(const Multiply& op, DType real, Signature& s) {
    HL_TRY(check_sizes("multiply", {{"rows", op.rows}, {"columns", op.columns}}));
    s.input(real, {op.rows, op.columns});
    s.input(real, {op.rows, op.columns});
    s.output({op.rows, op.columns}, {"row", "column"});
    return {};
  }
  template <class Real>
  static Status compute(const Multiply& op, In in, Out out, const CancelToken& cancel) {
    const Real* a = real<Real>(in[0]);
    const Real* b = real<Real>(in[1]);
    Real* y = real<Real>(out[0]);
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      for (std::int64_t i = row * op.columns; i < (row + 1) * op.columns; ++i) y[i] = a[i] * b[i];
    }
    return {};
  }
  template <class Real>
  static Status gradient(const Multiply& op, const GradientArrays<Real>& g, const CancelToken&) {
    const Real* a = real<Real>(g.in[0]);
    const Real* b = real<Real>(g.in[1]);
    for (std::int64_t i = 0; i < op.rows * op.columns; ++i) {
      if (g.d[0]) g.d[0][i] = g.dy[i] * b[i];
      if (g.d[1]) g.d[1][i] = g.dy[i] * a[i];
    }
    return {};
  }
  static void add_to(const Multiply& op, Fingerprint& key) {
    const auto& [rows, columns] = op;
    add_all(key, rows, columns);
  }
  static double flops(const Multiply& op, bool) { return static_cast<double>(op.rows) * static_cast<double>(op.columns); }
  static std::vector<Operation> examples() { return {Multiply{3, 33}}; }
};

}  // namespace

template <>
const Kind& kind_of<Multiply>() {
  static const Kind kind =
      make_kind<Multiply, MultiplyFunctions>("multiply", "product, number by number", "y = a b, number by number",
                                             "Dauphin et al. 2017 and Shazeer 2020: the gate of a gated feed-forward part");
  return kind;
}

}  // namespace headlight::operations
