#include "engine/operations/dropout.h"

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

// dy instead of x gives the gradient: what was dropped gets none, the rest is scaled alike.
template <class Real>
void drop(const Dropout& op, const Tensor& counter, const Real* x, Real* y) {
  const Draws draws(op.rate, op.seed, counter.data<std::int32_t>()[0]);
  const auto factor = static_cast<Real>(1 / (1 - op.rate));
  for (std::int64_t i = 0; i < op.rows * op.columns; ++i) y[i] = draws.kept(i) ? x[i] * factor : Real(0);
}

struct DropoutFunctions {
  static Status describe(const Dropout& op, DType real, Signature& s) {
    HL_TRY(check_sizes("dropout", {{"rows", op.rows}, {"columns", op.columns}}));
    HL_TRY(check_dropout(op.rate, "dropout"));
    s.input(real, {op.rows, op.columns});
    s.input(DType::i32, {1});
    s.output({op.rows, op.columns}, {"row", "column"});
    return {};
  }
  template <class Real>
  static Status compute(const Dropout& op, In in, Out out, const CancelToken& cancel) {
    if (cancel.cancelled()) return cancelled();
    drop(op, in[1], real<Real>(in[0]), real<Real>(out[0]));
    return {};
  }
  template <class Real>
  static Status gradient(const Dropout& op, const GradientArrays<Real>& g, const CancelToken&) {
    if (g.d[0]) drop(op, g.in[1], g.dy, g.d[0]);
    return {};
  }
  static void add_to(const Dropout& op, Fingerprint& key) {
    const auto& [rows, columns, rate, seed] = op;
    add_all(key, rows, columns, seed);
    key.add(rate);
  }
  static double flops(const Dropout& op, bool) { return static_cast<double>(op.rows) * static_cast<double>(op.columns); }
  static std::vector<Operation> examples() { return {Dropout{7, 33, 0.25, 5}}; }
};

}  // namespace

Draws::Draws(double rate, std::uint64_t seed, std::int32_t counter) {
  Fingerprint mixed;
  mixed.add(seed).add(static_cast<std::uint64_t>(counter));
  key_ = static_cast<std::uint32_t>(FingerprintHash()(mixed));
  threshold_ = static_cast<std::uint32_t>(rate * 4294967296.0);  // 2^32, which no rate below 1 reaches
}

template <>
const Kind& kind_of<Dropout>() {
  static const Kind kind = make_kind<Dropout, DropoutFunctions>("dropout", "dropout", "y = x / (1 - rate) where kept, else 0",
                                                                "Srivastava et al. 2014");
  return kind;
}

}  // namespace headlight::operations
