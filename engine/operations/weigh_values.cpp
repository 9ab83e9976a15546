#include "engine/operations/weigh_values.h"

#include <algorithm>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct WeighValuesFunctions {
  static Status describe(const WeighValues& op, DType real, Signature& s) {
    HL_TRY(check_sizes("weigh_values", {{"batch", op.batch},
                                        {"heads", op.heads},
                                        {"kv_heads", op.kv_heads},
                                        {"queries", op.queries},
                                        {"keys", op.keys},
                                        {"d_v", op.d_v}}));
    if (op.heads % op.kv_heads != 0)
      return invalid("{} query heads over {} value heads", op.heads, op.kv_heads)
          .at("weigh_values")
          .mend("the number of value heads must divide the number of query heads");
    s.input(real, {op.batch, op.heads, op.queries, op.keys});
    s.input(real, {op.batch, op.kv_heads, op.keys, op.d_v});
    s.output({op.batch, op.heads, op.queries, op.d_v}, {"batch", "head", "position", "d_k"});
    return {};
  }
  template <class Real>
  static Status compute(const WeighValues& op, In in, Out out, const CancelToken& cancel) {
    const Real* weights = real<Real>(in[0]);
    const std::int64_t group = op.heads / op.kv_heads;
    for (std::int64_t bh = 0; bh < op.batch * op.heads; ++bh) {
      const std::int64_t shared = bh / op.heads * op.kv_heads + bh % op.heads / group;
      const Real* v = real<Real>(in[1]) + shared * op.keys * op.d_v;
      for (std::int64_t i = 0; i < op.queries; ++i) {
        if (cancel.cancelled()) return cancelled();
        const std::int64_t row = bh * op.queries + i;
        Real* y = real<Real>(out[0]) + row * op.d_v;
        std::fill_n(y, op.d_v, Real(0));
        for (std::int64_t j = 0; j < op.keys; ++j) {
          const Real weight = weights[row * op.keys + j];
          for (std::int64_t c = 0; c < op.d_v; ++c) y[c] += weight * v[j * op.d_v + c];
        }
      }
    }
    return {};
  }
  static void add_to(const WeighValues& op, Fingerprint& key) {
    const auto& [batch, heads, kv_heads, queries, keys, d_v] = op;
    add_all(key, batch, heads, kv_heads, queries, keys, d_v);
  }
  static double flops(const WeighValues& op, bool) {
    return 2 * static_cast<double>(op.batch * op.heads * op.queries) * static_cast<double>(op.keys) * static_cast<double>(op.d_v);
  }
  static std::vector<Operation> examples() { return {WeighValues{2, 4, 2, 3, 5, 7}}; }
};

}  // namespace

template <>
const Kind& kind_of<WeighValues>() {
  static const Kind kind = make_kind<WeighValues, WeighValuesFunctions>(
      "weigh_values", "weighted sum", "context[h, i] = sum over j of weights[h, i, j] v[h, j]",
      "Vaswani et al. 2017, 3.2.1, of weights that were replaced");
  return kind;
}

}  // namespace headlight::operations
