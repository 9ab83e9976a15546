#include "engine/operations/split_heads.h"

#include "engine/operations/define.h"
#include "engine/operations/head_places.h"

namespace headlight::operations {
namespace {

struct SplitHeadsFunctions {
  static Status describe(const SplitHeads& op, DType real, Signature& s) {
    HL_TRY(check_sizes("split_heads", {{"batch", op.batch}, {"length", op.length}, {"heads", op.heads}, {"d_k", op.d_k}}));
    s.input(real, {op.batch, op.length, op.heads * op.d_k});
    s.output({op.batch, op.heads, op.length, op.d_k}, {"batch", "head", "position", "d_k"});
    return {};
  }
  template <class Real>
  static Status compute(const SplitHeads& op, In in, Out out, const CancelToken& cancel) {
    const Real* x = real<Real>(in[0]);
    Real* y = real<Real>(out[0]);
    return for_each_place(op.batch, op.heads, op.length, op.d_k, cancel,
                          [&](std::int64_t apart, std::int64_t merged) { y[apart] = x[merged]; });
  }
  // The copy back.
  template <class Real>
  static Status gradient(const SplitHeads& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    const Real* dy = g.dy;
    Real* dx = g.d[0];
    if (!dx) return {};
    return for_each_place(op.batch, op.heads, op.length, op.d_k, cancel,
                          [&](std::int64_t apart, std::int64_t merged) { dx[merged] = dy[apart]; });
  }
  static void add_to(const SplitHeads& op, Fingerprint& key) {
    const auto& [batch, length, heads, d_k] = op;
    add_all(key, batch, length, heads, d_k);
  }
  static double flops(const SplitHeads&, bool) { return 0; }
  static std::vector<Operation> examples() { return {SplitHeads{2, 5, 3, 7}}; }
};

}  // namespace

template <>
const Kind& kind_of<SplitHeads>() {
  static const Kind kind = make_kind<SplitHeads, SplitHeadsFunctions>(
      "split_heads", "split into heads", "[B, L, h d_k] -> view [B, L, h, d_k] -> transposed [B, h, L, d_k]",
      "Vaswani et al. 2017, 3.2.2");
  return kind;
}

}  // namespace headlight::operations
