#include "engine/operations/merge_heads.h"

#include "engine/operations/define.h"
#include "engine/operations/head_places.h"

namespace headlight::operations {
namespace {

struct MergeHeadsFunctions {
  static Status describe(const MergeHeads& op, DType real, Signature& s) {
    HL_TRY(check_sizes("merge_heads", {{"batch", op.batch}, {"length", op.length}, {"heads", op.heads}, {"d_k", op.d_k}}));
    s.input(real, {op.batch, op.heads, op.length, op.d_k});
    s.output({op.batch, op.length, op.heads * op.d_k}, {"batch", "position", "d_model"});
    return {};
  }
  template <class Real>
  static Status compute(const MergeHeads& op, In in, Out out, const CancelToken& cancel) {
    const Real* x = real<Real>(in[0]);
    Real* y = real<Real>(out[0]);
    return for_each_place(op.batch, op.heads, op.length, op.d_k, cancel,
                          [&](std::int64_t apart, std::int64_t merged) { y[merged] = x[apart]; });
  }
  // The copy back.
  template <class Real>
  static Status gradient(const MergeHeads& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    const Real* dy = g.dy;
    Real* dx = g.d[0];
    if (!dx) return {};
    return for_each_place(op.batch, op.heads, op.length, op.d_k, cancel,
                          [&](std::int64_t apart, std::int64_t merged) { dx[apart] = dy[merged]; });
  }
  static void add_to(const MergeHeads& op, Fingerprint& key) {
    const auto& [batch, length, heads, d_k] = op;
    add_all(key, batch, length, heads, d_k);
  }
  static double flops(const MergeHeads&, bool) { return 0; }
  static std::vector<Operation> examples() { return {MergeHeads{2, 5, 3, 7}}; }
};

}  // namespace

template <>
const Kind& kind_of<MergeHeads>() {
  static const Kind kind = make_kind<MergeHeads, MergeHeadsFunctions>(
      "merge_heads", "heads side by side", "[B, h, L, d_k] -> transposed [B, L, h, d_k] -> copied [B, L, h d_k]",
      "Vaswani et al. 2017, 3.2.2");
  return kind;
}

}  // namespace headlight::operations
