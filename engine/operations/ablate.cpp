#include "engine/operations/ablate.h"

#include <algorithm>
#include <cmath>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

std::int64_t own_rows(const Ablate& op, std::int64_t sentence) {
  return op.lengths.empty() ? op.rows : op.lengths[static_cast<std::size_t>(sentence)];
}

struct AblateFunctions {
  static Status describe(const Ablate& op, DType real, Signature& s) {
    HL_TRY(check_sizes("ablate", {{"batch", op.batch}, {"groups", op.groups}, {"rows", op.rows}, {"width", op.width}}));
    const auto groups = static_cast<std::size_t>(op.groups);
    if (op.factors.size() != groups || op.averaged.size() != groups)
      return invalid("there is not one factor for each of {} groups", groups).at("ablate");
    if (!std::all_of(op.factors.begin(), op.factors.end(), [](double f) { return std::isfinite(f); }))
      return invalid("a factor is no finite number").at("ablate");
    if (!op.lengths.empty() &&
        (op.lengths.size() != static_cast<std::size_t>(op.batch) ||
         std::any_of(op.lengths.begin(), op.lengths.end(), [&](std::int64_t n) { return n < 0 || n > op.rows; })))
      return invalid("the sentences' lengths do not fit their rows").at("ablate");
    s.input(real, {op.batch, op.groups, op.rows, op.width});
    s.output({op.batch, op.groups, op.rows, op.width}, {"batch", "head", "position", "d_k"});
    return {};
  }

  // The mean of `from` over the first `count` rows of `width` numbers, in double.
  template <class Real>
  static std::vector<double> mean_of(const Real* from, std::int64_t count, std::int64_t width) {
    std::vector<double> mean(static_cast<std::size_t>(width), 0.0);
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t c = 0; c < width; ++c) mean[static_cast<std::size_t>(c)] += static_cast<double>(from[i * width + c]);
    for (double& m : mean) m = count > 0 ? m / static_cast<double>(count) : 0;
    return mean;
  }

  template <class Real>
  static Status compute(const Ablate& op, In in, Out out, const CancelToken& cancel) {
    const Real* x = real<Real>(in[0]);
    Real* y = real<Real>(out[0]);
    const std::int64_t block = op.rows * op.width;
    for (std::int64_t bg = 0; bg < op.batch * op.groups; ++bg, x += block, y += block) {
      if (cancel.cancelled()) return cancelled();
      const auto g = static_cast<std::size_t>(bg % op.groups);
      const auto factor = static_cast<Real>(op.factors[g]);
      if (factor == 0) {
        std::fill_n(y, block, Real(0));
      } else if (op.averaged[g]) {
        const std::vector<double> mean = mean_of(x, own_rows(op, bg / op.groups), op.width);
        for (std::int64_t i = 0; i < block; ++i) y[i] = factor * static_cast<Real>(mean[static_cast<std::size_t>(i % op.width)]);
      } else if (factor == 1) {
        std::copy_n(x, block, y);
      } else {
        for (std::int64_t i = 0; i < block; ++i) y[i] = factor * x[i];
      }
    }
    return {};
  }

  template <class Real>
  static Status gradient(const Ablate& op, const GradientArrays<Real>& g, const CancelToken&) {
    if (!g.d[0]) return {};
    const std::int64_t block = op.rows * op.width;
    for (std::int64_t bg = 0; bg < op.batch * op.groups; ++bg) {
      const auto group = static_cast<std::size_t>(bg % op.groups);
      const auto factor = static_cast<Real>(op.factors[group]);
      const Real* dy = g.dy + bg * block;
      Real* dx = g.d[0] + bg * block;
      if (!op.averaged[group] || factor == 0) {
        for (std::int64_t i = 0; i < block; ++i) dx[i] = factor * dy[i];
        continue;
      }
      // Every row of y has a share of 1/n of each of the n rows that the mean is taken over.
      const std::int64_t own = own_rows(op, bg / op.groups);
      std::vector<double> sum = mean_of(dy, op.rows, op.width);
      for (double& one : sum) one *= own > 0 ? static_cast<double>(op.rows) / static_cast<double>(own) : 0;
      for (std::int64_t i = 0; i < block; ++i)
        dx[i] = i / op.width < own ? factor * static_cast<Real>(sum[static_cast<std::size_t>(i % op.width)]) : Real(0);
    }
    return {};
  }

  static void add_to(const Ablate& op, Fingerprint& key) {
    const auto& [batch, groups, rows, width, factors, averaged, lengths] = op;
    add_all(key, batch, groups, rows, width);
    for (const double factor : factors) key.add(factor);
    for (const char one : averaged) add_all(key, one);
    // Only a mean depends on how many rows are a sentence's own.
    if (op.averages())
      for (const std::int64_t length : lengths) add_all(key, length);
  }
  static double flops(const Ablate& op, bool) {
    double changed = 0;
    for (std::size_t g = 0; g < op.factors.size(); ++g) changed += op.averaged[g] || op.factors[g] != 1 ? 1 : 0;
    return changed * static_cast<double>(op.batch * op.rows) * static_cast<double>(op.width);
  }
  static std::vector<Operation> examples() {
    return {Ablate{2, 4, 5, 3, {1, 0, 0.5, 1}, {0, 0, 0, 1}, {5, 3}}, Ablate{1, 1, 3, 33, {-2}, {0}, {}}};
  }
};

}  // namespace

bool Ablate::averages() const {
  return std::any_of(averaged.begin(), averaged.end(), [](char one) { return one != 0; });
}

template <>
const Kind& kind_of<Ablate>() {
  static const Kind kind =
      make_kind<Ablate, AblateFunctions>("ablate", "outputs taken out", "y[h, i] = f_h x[h, i], or f_h mean_j x[h, j]",
                                         "zero and mean ablation: Michel et al. 2019, Wang et al. 2022 (2211.00593)");
  return kind;
}

}  // namespace headlight::operations
