#include "engine/operations/cross_entropy.h"

#include <algorithm>
#include <cmath>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

struct CrossEntropyFunctions {
  static Status describe(const CrossEntropy& op, DType real, Signature& s) {
    HL_TRY(check_sizes("cross_entropy", {{"rows", op.rows}, {"classes", op.classes}}));
    if (!(op.smoothing >= 0 && op.smoothing < 1))
      return invalid("label smoothing must be at least 0 and below 1").at("cross_entropy");
    s.input(real, {op.rows, op.classes});
    s.ids({op.rows}, op.classes);
    s.output({op.rows}, {"row"});
    s.output({op.rows}, {"row"});
    return {};
  }
  template <class Real>
  static Status compute(const CrossEntropy& op, In in, Out out, const CancelToken& cancel) {
    HL_TRY(check_labels(in[1], op.classes));
    const auto smoothing = static_cast<Real>(op.smoothing);
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      const Real* x = real<Real>(in[0]) + row * op.classes;
      const std::int32_t label = in[1].data<std::int32_t>()[row];
      const Real largest = *std::max_element(x, x + op.classes);
      Real sum = 0, all = 0;
      for (std::int64_t j = 0; j < op.classes; ++j) sum += std::exp(x[j] - largest);
      for (std::int64_t j = 0; j < op.classes; ++j) all += x[j];
      const Real log_sum = largest + std::log(sum);
      real<Real>(out[1])[row] = log_sum;
      real<Real>(out[0])[row] =
          label < 0 ? Real(0) : log_sum - (1 - smoothing) * x[label] - smoothing * all / static_cast<Real>(op.classes);
    }
    return {};
  }
  template <class Real>
  static Status gradient(const CrossEntropy& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    HL_TRY(check_labels(g.in[1], op.classes));
    const Tensor& label_tensor = g.in[1];
    const std::int32_t* const labels = label_tensor.data<std::int32_t>();
    const auto smoothing = static_cast<Real>(op.smoothing);
    for (std::int64_t row = 0; g.d[0] && row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      const Real* x = real<Real>(g.in[0]) + row * op.classes;
      Real* dx = g.d[0] + row * op.classes;
      const std::int32_t label = labels[row];
      const Real log_sum = real<Real>(g.out[1])[row];
      // The probability that was given, less the one that was wanted.
      for (std::int64_t j = 0; j < op.classes; ++j) {
        const Real wanted = (j == label ? 1 - smoothing : 0) + smoothing / static_cast<Real>(op.classes);
        dx[j] = label < 0 ? Real(0) : g.dy[row] * (std::exp(x[j] - log_sum) - wanted);
      }
    }
    return {};
  }
  static void add_to(const CrossEntropy& op, Fingerprint& key) {
    const auto& [rows, classes, smoothing] = op;
    add_all(key, rows, classes);
    key.add(smoothing);
  }
  static double flops(const CrossEntropy& op, bool) { return 4 * static_cast<double>(op.rows) * static_cast<double>(op.classes); }
  static std::vector<Operation> examples() { return {CrossEntropy{5, 33}, CrossEntropy{5, 33, 0.1}}; }
};

}  // namespace

Status check_labels(const Tensor& labels, std::int64_t classes) {
  const std::span<const std::int32_t> all = labels.values<std::int32_t>();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] < -1 || all[i] >= classes)
      return invalid("label {} at [{}] of {} classes", all[i], i, classes)
          .at("cross_entropy")
          .mend("labels run from 0 to {}, and -1 is no label", classes - 1);
  return {};
}

template <>
const Kind& kind_of<CrossEntropy>() {
  static const Kind kind = make_kind<CrossEntropy, CrossEntropyFunctions>(
      "cross_entropy", "softmax cross-entropy", "loss = log sum_j exp(x_j) - (1 - s) x_label - s mean_j x_j",
      "Shannon 1948; label smoothing s: Szegedy et al. 2016, 7");
  return kind;
}

}  // namespace headlight::operations
