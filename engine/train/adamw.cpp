#include "engine/train/adamw.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"

namespace headlight::train {
namespace {

// Numbers that one task takes; sums are made over so many, whatever the number of threads.
constexpr std::int64_t kPart = 1 << 15;

}  // namespace

Tensor updated(const AdamW& optimiser, const Tensor& parameter, const Tensor& gradient, Moments& moments, double rate,
               double factor, bool decays, std::int64_t step) {
  Tensor out(DType::f32, parameter.shape(), parameter.axes(), true);
  const float* const w = parameter.data<float>();
  const float* const g = gradient.data<float>();
  float* const m = moments.first.data<float>();
  float* const v = moments.second.data<float>();
  float* const y = out.data<float>();
  const auto b1 = static_cast<float>(optimiser.beta1), b2 = static_cast<float>(optimiser.beta2);
  const auto scale = static_cast<float>(factor), epsilon = static_cast<float>(optimiser.epsilon);
  const auto t = static_cast<double>(step);
  const auto by_first = static_cast<float>(rate / (1 - std::pow(optimiser.beta1, t)));
  const auto by_second = static_cast<float>(1 / (1 - std::pow(optimiser.beta2, t)));
  const auto kept = static_cast<float>(1 - (decays ? rate * optimiser.decay : 0));
  parallel_for(parameter.count(), kPart, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float by = g[i] * scale;
      m[i] = b1 * m[i] + (1 - b1) * by;
      v[i] = b2 * v[i] + (1 - b2) * by * by;
      y[i] = kept * w[i] - by_first * m[i] / (std::sqrt(v[i] * by_second) + epsilon);
    }
  });
  return out;
}

double global_norm(std::span<const Tensor> gradients) {
  double sum = 0;
  for (const Tensor& gradient : gradients) {
    const float* const g = gradient.data<float>();
    const std::int64_t count = gradient.count(), parts = (count + kPart - 1) / kPart;
    std::vector<double> sums(static_cast<std::size_t>(parts), 0.0);
    parallel_for(parts, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t part = begin; part < end; ++part) {
        // Four sums side by side, which a processor adds at once.
        double four[4] = {};
        const std::int64_t last = std::min(count, (part + 1) * kPart);
        for (std::int64_t i = part * kPart; i < last; ++i) four[i % 4] += static_cast<double>(g[i]) * static_cast<double>(g[i]);
        sums[static_cast<std::size_t>(part)] = (four[0] + four[1]) + (four[2] + four[3]);
      }
    });
    for (const double one : sums) sum += one;
  }
  return std::sqrt(sum);
}

double rate_at(const Schedule& schedule, std::int64_t step) {
  if (step <= schedule.warmup) return schedule.most * static_cast<double>(step) / static_cast<double>(schedule.warmup);
  const double done = static_cast<double>(step - schedule.warmup) /
                      static_cast<double>(std::max<std::int64_t>(1, schedule.steps - schedule.warmup));
  return schedule.least + (schedule.most - schedule.least) * 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, done)));
}

}  // namespace headlight::train
