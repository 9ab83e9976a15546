#include "engine/operations/add.h"

#include <algorithm>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct AddFunctions {
  static Status describe(const Add& op, DType real, Signature& s) {
    HL_TRY(check_sizes("add", {{"outer", op.outer}, {"inner", op.inner}}));
    s.input(real, {op.outer, op.inner});
    s.input(real, op.b_repeats ? Shape{op.inner} : Shape{op.outer, op.inner});
    s.output({op.outer, op.inner}, {"outer", "inner"});
    return {};
  }
  template <class Real>
  static Status compute(const Add& op, In in, Out out, const CancelToken& cancel) {
    const Real* a = real<Real>(in[0]);
    const Real* b = real<Real>(in[1]);
    Real* y = real<Real>(out[0]);
    for (std::int64_t outer = 0; outer < op.outer; ++outer) {
      if (cancel.cancelled()) return cancelled();
      const Real* from = op.b_repeats ? b : b + outer * op.inner;
      for (std::int64_t i = 0; i < op.inner; ++i) y[outer * op.inner + i] = a[outer * op.inner + i] + from[i];
    }
    return {};
  }
  template <class Real>
  static Status gradient(const Add& op, const GradientArrays<Real>& g, const CancelToken&) {
    const std::int64_t count = op.outer * op.inner;
    if (g.d[0]) std::copy_n(g.dy, count, g.d[0]);
    if (!g.d[1]) return {};
    // A b that repeats takes part in every outer row, so the rows' gradients add up.
    std::copy_n(g.dy, op.b_repeats ? op.inner : count, g.d[1]);
    for (std::int64_t i = op.inner; op.b_repeats && i < count; ++i) g.d[1][i % op.inner] += g.dy[i];
    return {};
  }
  static void add_to(const Add& op, Fingerprint& key) {
    const auto& [outer, inner, b_repeats] = op;
    add_all(key, outer, inner, b_repeats);
  }
  static double flops(const Add& op, bool) { return static_cast<double>(op.outer) * static_cast<double>(op.inner); }
  static std::vector<Operation> examples() { return {Add{3, 33, false}, Add{3, 33, true}}; }
};

}  // namespace

template <>
const Kind& kind_of<Add>() {
  static const Kind kind =
      make_kind<Add, AddFunctions>("add", "sum", "y = a + b", "a residual connection, or positions added to embeddings");
  return kind;
}

}  // namespace headlight::operations
