#include "engine/operations/mean_loss.h"

#include <algorithm>

#include "engine/operations/cross_entropy.h"
#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct MeanLossFunctions {
  static Status describe(const MeanLoss& op, DType real, Signature& s) {
    HL_TRY(check_sizes("mean_loss", {{"rows", op.rows}, {"classes", op.classes}}));
    s.input(real, {op.rows});
    s.ids({op.rows}, op.classes);
    s.output({1}, {"loss"});
    return {};
  }
  template <class Real>
  static Status compute(const MeanLoss& op, In in, Out out, const CancelToken& cancel) {
    if (cancel.cancelled()) return cancelled();
    HL_TRY(check_labels(in[1], op.classes));
    Real sum = 0;
    for (std::int64_t row = 0; row < op.rows; ++row)
      if (in[1].data<std::int32_t>()[row] >= 0) sum += real<Real>(in[0])[row];
    real<Real>(out[0])[0] = sum / static_cast<Real>(std::max<std::int64_t>(1, labelled(op, in[1])));
    return {};
  }
  template <class Real>
  static Status gradient(const MeanLoss& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    if (cancel.cancelled()) return cancelled();
    if (!g.d[0]) return {};
    const Tensor& labels = g.in[1];
    const Real share = g.dy[0] / static_cast<Real>(std::max<std::int64_t>(1, labelled(op, labels)));
    for (std::int64_t row = 0; row < op.rows; ++row) g.d[0][row] = labels.data<std::int32_t>()[row] >= 0 ? share : Real(0);
    return {};
  }
  static void add_to(const MeanLoss& op, Fingerprint& key) {
    const auto& [rows, classes] = op;
    add_all(key, rows, classes);
  }
  static double flops(const MeanLoss& op, bool) { return static_cast<double>(op.rows); }
  static std::vector<Operation> examples() { return {MeanLoss{2, 33}}; }

 private:
  static std::int64_t labelled(const MeanLoss& op, const Tensor& labels) {
    const auto* const first = labels.data<std::int32_t>();
    return std::count_if(first, first + op.rows, [](std::int32_t label) { return label >= 0; });
  }
};

}  // namespace

template <>
const Kind& kind_of<MeanLoss>() {
  static const Kind kind = make_kind<MeanLoss, MeanLossFunctions>(
      "mean_loss", "mean over labels", "mean = sum of losses / rows with a label", "the mean of a batch, padding ignored");
  return kind;
}

}  // namespace headlight::operations
