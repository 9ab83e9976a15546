#include "engine/operations/relative_values.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/operations/define.h"
#include "engine/operations/relative_rows.h"

namespace headlight::operations {
namespace {

struct RelativeValuesFunctions {
  static Status describe(const RelativeValues& op, DType real, Signature& s) {
    HL_TRY(check_sizes("relative_values",
                       {{"batch", op.batch}, {"heads", op.heads}, {"queries", op.queries}, {"keys", op.keys}, {"d_v", op.d_v}}));
    HL_TRY(check_clip(op.clip, "relative_values"));
    s.input(real, {op.batch, op.heads, op.queries, op.keys});
    s.input(real, {2 * op.clip + 1, op.d_v});
    s.output({op.batch, op.heads, op.queries, op.d_v}, {"batch", "head", "position", "d_k"});
    return {};
  }
  // Weights at the same distance are added first, so that each row of the table is multiplied once.
  template <class Real>
  static Status compute(const RelativeValues& op, In in, Out out, const CancelToken& cancel) {
    std::vector<Real> sums;
    for (std::int64_t row = 0; row < op.batch * op.heads * op.queries; ++row) {
      if (cancel.cancelled()) return cancelled();
      const RelativeRows rows(row % op.queries, op.keys, op.clip);
      const Real* weights = real<Real>(in[0]) + row * op.keys;
      sums.assign(static_cast<std::size_t>(rows.count()), Real(0));
      for (std::int64_t j = 0; j < op.keys; ++j) sums[static_cast<std::size_t>(rows.row(j) - rows.first)] += weights[j];
      Real* y = real<Real>(out[0]) + row * op.d_v;
      std::fill_n(y, op.d_v, Real(0));
      for (std::int64_t r = rows.first; r <= rows.last; ++r) {
        const Real sum = sums[static_cast<std::size_t>(r - rows.first)];
        const Real* a = real<Real>(in[1]) + r * op.d_v;
        for (std::int64_t c = 0; c < op.d_v; ++c) y[c] += sum * a[c];
      }
    }
    return {};
  }
  template <class Real>
  static Status gradient(const RelativeValues& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    const Real *weights = real<Real>(g.in[0]), *table = real<Real>(g.in[1]);
    if (g.d[1]) std::fill_n(g.d[1], (2 * op.clip + 1) * op.d_v, Real(0));
    for (std::int64_t row = 0; row < op.batch * op.heads * op.queries; ++row) {
      if (cancel.cancelled()) return cancelled();
      const RelativeRows rows(row % op.queries, op.keys, op.clip);
      const Real* dy = g.dy + row * op.d_v;
      for (std::int64_t j = 0; j < op.keys; ++j) {
        const std::int64_t r = rows.row(j);
        Real sum = 0;
        for (std::int64_t c = 0; c < op.d_v; ++c) {
          sum += dy[c] * table[r * op.d_v + c];
          if (g.d[1]) g.d[1][r * op.d_v + c] += weights[row * op.keys + j] * dy[c];
        }
        if (g.d[0]) g.d[0][row * op.keys + j] = sum;
      }
    }
    return {};
  }
  static void add_to(const RelativeValues& op, Fingerprint& key) {
    const auto& [batch, heads, queries, keys, d_v, clip] = op;
    add_all(key, batch, heads, queries, keys, d_v, clip);
  }
  static double flops(const RelativeValues& op, bool) {
    const std::int64_t rows = std::min(2 * op.clip + 1, op.keys);
    return static_cast<double>(op.batch * op.heads * op.queries) *
           (static_cast<double>(op.keys) + 2 * static_cast<double>(op.d_v) * static_cast<double>(rows));
  }
  static std::vector<Operation> examples() {
    return {RelativeValues{2, 2, 5, 5, 8, 2}, RelativeValues{1, 1, 3, 7, 33, 9}, RelativeValues{1, 2, 4, 4, 3, 0}};
  }
};

}  // namespace

template <>
const Kind& kind_of<RelativeValues>() {
  static const Kind kind = make_kind<RelativeValues, RelativeValuesFunctions>(
      "relative_values", "values of relative positions",
      "context[h, i] += sum over j of weights[h, i, j] a^V[clip(j - i, -k, k) + k]", "Shaw et al. 2018, equation 3");
  return kind;
}

}  // namespace headlight::operations
