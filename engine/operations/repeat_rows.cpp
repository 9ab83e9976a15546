#include "engine/operations/repeat_rows.h"

#include <algorithm>
#include <vector>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct RepeatRowsFunctions {
  static Status describe(const RepeatRows& op, DType real, Signature& s) {
    HL_TRY(check_sizes("repeat_rows", {{"times", op.times}, {"count", op.count}}));
    s.input(real, {op.count});
    s.output({op.times, op.count}, {"batch", "number"});
    return {};
  }
  template <class Real>
  static Status compute(const RepeatRows& op, In in, Out out, const CancelToken& cancel) {
    if (cancel.cancelled()) return cancelled();
    for (std::int64_t t = 0; t < op.times; ++t) std::copy_n(real<Real>(in[0]), op.count, real<Real>(out[0]) + t * op.count);
    return {};
  }
  template <class Real>
  static Status gradient(const RepeatRows& op, const GradientArrays<Real>& g, const CancelToken&) {
    if (!g.d[0]) return {};
    std::fill_n(g.d[0], op.count, Real(0));
    for (std::int64_t t = 0; t < op.times; ++t)
      for (std::int64_t i = 0; i < op.count; ++i) g.d[0][i] += g.dy[t * op.count + i];
    return {};
  }
  static void add_to(const RepeatRows& op, Fingerprint& key) {
    const auto& [times, count] = op;
    add_all(key, times, count);
  }
  static double flops(const RepeatRows&, bool) { return 0; }
  static std::vector<Operation> examples() { return {RepeatRows{3, 35}}; }
};

}  // namespace

template <>
const Kind& kind_of<RepeatRows>() {
  static const Kind kind = make_kind<RepeatRows, RepeatRowsFunctions>(
      "repeat_rows", "repeat", "y[t, i] = x[i]", "Luong et al. 2015, 3.1: the table of places is the same for all");
  return kind;
}

}  // namespace headlight::operations
