#include "engine/operations/transpose.h"

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

template <class Real>
void turn_transpose(std::int64_t rows, std::int64_t columns, const Real* x, Real* y) {
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) y[column * rows + row] = x[row * columns + column];
}

struct TransposeFunctions {
  static Status describe(const Transpose& op, DType real, Signature& s) {
    HL_TRY(check_sizes("transpose", {{"rows", op.rows}, {"columns", op.columns}}));
    s.input(real, {op.rows, op.columns});
    s.output({op.columns, op.rows}, {"column", "row"});
    return {};
  }
  template <class Real>
  static Status compute(const Transpose& op, In in, Out out, const CancelToken& cancel) {
    if (cancel.cancelled()) return cancelled();
    turn_transpose(op.rows, op.columns, real<Real>(in[0]), real<Real>(out[0]));
    return {};
  }
  template <class Real>
  static Status gradient(const Transpose& op, const GradientArrays<Real>& g, const CancelToken&) {
    if (g.d[0]) turn_transpose(op.columns, op.rows, g.dy, g.d[0]);
    return {};
  }
  static void add_to(const Transpose& op, Fingerprint& key) {
    const auto& [rows, columns] = op;
    add_all(key, rows, columns);
  }
  static double flops(const Transpose&, bool) { return 0; }
  static std::vector<Operation> examples() { return {Transpose{5, 33}}; }
};

}  // namespace

template <>
const Kind& kind_of<Transpose>() {
  static const Kind kind = make_kind<Transpose, TransposeFunctions>(
      "transpose", "transpose", "y[j, i] = x[i, j]", "an output matrix that is the embedding's (Press and Wolf 2017)");
  return kind;
}

}  // namespace headlight::operations
