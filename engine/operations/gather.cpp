#include "engine/operations/gather.h"

#include <algorithm>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct GatherFunctions {
  static Status describe(const Gather& op, DType real, Signature& s) {
    HL_TRY(check_sizes("gather", {{"rows", op.rows}, {"table_rows", op.table_rows}, {"d", op.d}}));
    s.input(real, {op.table_rows, op.d});
    s.ids({op.rows}, op.table_rows);
    s.output({op.rows, op.d}, {"row", "d_model"});
    return {};
  }
  template <class Real>
  static Status compute(const Gather& op, In in, Out out, const CancelToken& cancel) {
    const std::span<const std::int32_t> ids = in[1].values<std::int32_t>();
    HL_TRY(check_ids(ids, op.table_rows, 0, "gather"));
    const Real* table = real<Real>(in[0]);
    Real* y = real<Real>(out[0]);
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      for (std::int64_t i = 0; i < op.d; ++i) y[row * op.d + i] = table[ids[static_cast<std::size_t>(row)] * op.d + i];
    }
    return {};
  }
  template <class Real>
  static Status gradient(const Gather& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    if (!g.d[0]) return {};
    const Tensor& rows = g.in[1];
    const std::span<const std::int32_t> ids = rows.values<std::int32_t>();
    HL_TRY(check_ids(ids, op.table_rows, 0, "gather"));
    std::fill_n(g.d[0], op.table_rows * op.d, Real(0));
    // A row that was looked up several times gets the sum.
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      Real* to = g.d[0] + ids[static_cast<std::size_t>(row)] * op.d;
      for (std::int64_t i = 0; i < op.d; ++i) to[i] += g.dy[row * op.d + i];
    }
    return {};
  }
  static void add_to(const Gather& op, Fingerprint& key) {
    const auto& [rows, table_rows, d] = op;
    add_all(key, rows, table_rows, d);
  }
  static double flops(const Gather&, bool) { return 0; }
  static std::vector<Operation> examples() { return {Gather{5, 7, 33}}; }
};

}  // namespace

template <>
const Kind& kind_of<Gather>() {
  static const Kind kind = make_kind<Gather, GatherFunctions>("gather", "row look-up", "y[i, :] = table[ids[i], :]",
                                                              "the same as one-hot(ids) times the table");
  return kind;
}

}  // namespace headlight::operations
