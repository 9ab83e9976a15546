#include "engine/train/adamw.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/backends/cpu/gradient_kernels.h"
#include "engine/backends/cpu/levels.h"
#include "engine/core/parallel.h"

namespace headlight::train {
namespace {

// Numbers that one task takes; sums are made over so many, whatever the number of threads.
constexpr std::int64_t kPart = 1 << 15;

}  // namespace

std::vector<Tensor> updated(const AdamW& optimiser, std::span<const Update> updates, double rate, double factor,
                            std::int64_t step) {
  const backends::cpu::GradientKernels& kernels = *backends::cpu::widest_kernels().gradients;
  std::vector<Tensor> out;
  std::vector<std::int64_t> counts;
  for (const Update& one : updates) {
    out.emplace_back(DType::f32, one.parameter.shape(), one.parameter.axes(), true);
    counts.push_back(one.parameter.count());
  }
  const auto t = static_cast<double>(step);
  backends::cpu::AdamWFactors by{};
  by.b1 = static_cast<float>(optimiser.beta1);
  by.b2 = static_cast<float>(optimiser.beta2);
  by.gradient = static_cast<float>(factor);
  by.epsilon = static_cast<float>(optimiser.epsilon);
  by.first = static_cast<float>(rate / (1 - std::pow(optimiser.beta1, t)));
  by.second = static_cast<float>(1 / (1 - std::pow(optimiser.beta2, t)));
  parallel_for_all(counts, kPart, [&](std::size_t which, std::int64_t begin, std::int64_t end) {
    const Update& one = updates[which];
    backends::cpu::AdamWFactors own = by;
    own.kept = static_cast<float>(1 - (one.decays ? rate * optimiser.decay : 0));
    kernels.adamw(own, one.parameter.data<float>() + begin, one.gradient.data<float>() + begin, end - begin,
                  one.moments.first.data<float>() + begin, one.moments.second.data<float>() + begin,
                  out[which].data<float>() + begin);
  });
  return out;
}

double global_norm(std::span<const Tensor> gradients) {
  const backends::cpu::GradientKernels& kernels = *backends::cpu::widest_kernels().gradients;
  std::vector<std::int64_t> counts;
  std::vector<std::vector<double>> sums;
  for (const Tensor& gradient : gradients) {
    counts.push_back(gradient.count());
    sums.emplace_back(static_cast<std::size_t>((gradient.count() + kPart - 1) / kPart), 0.0);
  }
  parallel_for_all(counts, kPart, [&](std::size_t which, std::int64_t begin, std::int64_t end) {
    const float* const g = gradients[which].data<float>();
    sums[which][static_cast<std::size_t>(begin / kPart)] = kernels.sum_of_squares(g + begin, end - begin);
  });
  double sum = 0;
  for (const std::vector<double>& parts : sums)
    for (const double one : parts) sum += one;
  return std::sqrt(sum);
}

double rate_at(const Schedule& schedule, std::int64_t step) {
  if (step <= schedule.warmup) return schedule.most * static_cast<double>(step) / static_cast<double>(schedule.warmup);
  const double done = static_cast<double>(step - schedule.warmup) /
                      static_cast<double>(std::max<std::int64_t>(1, schedule.steps - schedule.warmup));
  return schedule.least + (schedule.most - schedule.least) * 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, done)));
}

}  // namespace headlight::train
