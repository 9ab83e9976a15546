#include "engine/operations/relative_scores.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/operations/define.h"
#include "engine/operations/relative_rows.h"

namespace headlight::operations {
namespace {

struct RelativeScoresFunctions {
  static Status describe(const RelativeScores& op, DType real, Signature& s) {
    HL_TRY(check_sizes("relative_scores",
                       {{"batch", op.batch}, {"heads", op.heads}, {"queries", op.queries}, {"keys", op.keys}, {"d_k", op.d_k}}));
    HL_TRY(check_clip(op.clip, "relative_scores"));
    if (!std::isfinite(op.scale)) return invalid("the scale is not a finite number").at("relative_scores");
    s.input(real, {op.batch, op.heads, op.queries, op.d_k});
    s.input(real, {2 * op.clip + 1, op.d_k});
    s.output({op.batch, op.heads, op.queries, op.keys}, {"batch", "head", "query", "key"});
    return {};
  }
  // Keys at the same distance share a product, so a query is multiplied with each row once.
  template <class Real>
  static Status compute(const RelativeScores& op, In in, Out out, const CancelToken& cancel) {
    std::vector<Real> products;
    for (std::int64_t row = 0; row < op.batch * op.heads * op.queries; ++row) {
      if (cancel.cancelled()) return cancelled();
      const RelativeRows rows(row % op.queries, op.keys, op.clip);
      const Real* q = real<Real>(in[0]) + row * op.d_k;
      products.assign(static_cast<std::size_t>(rows.count()), Real(0));
      for (std::int64_t r = rows.first; r <= rows.last; ++r) {
        const Real* a = real<Real>(in[1]) + r * op.d_k;
        Real sum = 0;
        for (std::int64_t d = 0; d < op.d_k; ++d) sum += q[d] * a[d];
        products[static_cast<std::size_t>(r - rows.first)] = sum * static_cast<Real>(op.scale);
      }
      Real* y = real<Real>(out[0]) + row * op.keys;
      for (std::int64_t j = 0; j < op.keys; ++j) y[j] = products[static_cast<std::size_t>(rows.row(j) - rows.first)];
    }
    return {};
  }
  template <class Real>
  static Status gradient(const RelativeScores& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    const Real* table = real<Real>(g.in[1]);
    if (g.d[0]) std::fill_n(g.d[0], op.batch * op.heads * op.queries * op.d_k, Real(0));
    if (g.d[1]) std::fill_n(g.d[1], (2 * op.clip + 1) * op.d_k, Real(0));
    for (std::int64_t row = 0; row < op.batch * op.heads * op.queries; ++row) {
      if (cancel.cancelled()) return cancelled();
      const RelativeRows rows(row % op.queries, op.keys, op.clip);
      const Real* q = real<Real>(g.in[0]) + row * op.d_k;
      for (std::int64_t j = 0; j < op.keys; ++j) {
        const Real dy = g.dy[row * op.keys + j] * static_cast<Real>(op.scale);
        const std::int64_t r = rows.row(j);
        for (std::int64_t d = 0; d < op.d_k; ++d) {
          if (g.d[0]) g.d[0][row * op.d_k + d] += dy * table[r * op.d_k + d];
          if (g.d[1]) g.d[1][r * op.d_k + d] += dy * q[d];
        }
      }
    }
    return {};
  }
  static void add_to(const RelativeScores& op, Fingerprint& key) {
    const auto& [batch, heads, queries, keys, d_k, clip, scale] = op;
    add_all(key, batch, heads, queries, keys, d_k, clip);
    key.add(scale);
  }
  static double flops(const RelativeScores& op, bool) {
    const std::int64_t rows = std::min(2 * op.clip + 1, op.keys);
    return (2 * static_cast<double>(op.d_k) + 1) * static_cast<double>(op.batch * op.heads * op.queries) *
           static_cast<double>(rows);
  }
  static std::vector<Operation> examples() {
    return {RelativeScores{2, 2, 5, 5, 8, 2, 0.5}, RelativeScores{1, 1, 3, 7, 33, 9, 1}, RelativeScores{1, 2, 4, 4, 3, 0, 2}};
  }
};

}  // namespace

template <>
const Kind& kind_of<RelativeScores>() {
  static const Kind kind = make_kind<RelativeScores, RelativeScoresFunctions>(
      "relative_scores", "scores of relative positions", "bias[h, i, j] = scale q[h, i] . a^K[clip(j - i, -k, k) + k]",
      "Shaw et al. 2018, equations 4 and 5");
  return kind;
}

}  // namespace headlight::operations
