// The optimiser: AdamW, its schedule, and the norm that clipping needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight::train {

// Loshchilov and Hutter 2019, algorithm 2: m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2, both divided by 1 - b^step;
// w = w - rate (m / (sqrt(v) + epsilon) + decay w).
struct AdamW {
  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, decay = 0.1;
};

// One parameter's state, all f32 of its shape.
struct Moments {
  Tensor first, second;
};

// One parameter with its gradient, as a step changes it.
struct Update {
  const Tensor& parameter;
  const Tensor& gradient;
  Moments& moments;  // changed in place
  bool decays;       // false for norms and biases
};

// The parameters after one step, new arrays in the order of `updates`. `step` counts from 1, `factor` multiplies the gradients
// (clipping).
// updated({}, updates, 1e-3, 1, 1): the first step at the rate 1e-3, without clipping.
std::vector<Tensor> updated(const AdamW& optimiser, std::span<const Update> updates, double rate, double factor,
                            std::int64_t step);

// The length of all gradients as one vector. Its sum is made in the same order for any number of threads.
double global_norm(std::span<const Tensor> gradients);

// The learning rate of a step (from 1): it rises in a straight line to `most` over the warm-up, then falls along half a cosine to
// `least` at the last step.
struct Schedule {
  double most = 1e-3, least = 1e-4;
  std::int64_t warmup = 100, steps = 1000;
};
// rate_at({1e-3, 1e-4, 100, 1000}, 50) gives 5e-4, and step 1000 gives 1e-4.
double rate_at(const Schedule& schedule, std::int64_t step);

}  // namespace headlight::train
