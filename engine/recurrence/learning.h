// How these networks learn a text, and how far back their gradients reach.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/recurrence/network.h"

namespace headlight::recurrence {

// A training on one text: Adam (Kingma and Ba 2015) on the sum of its losses, gradients cut at length 1. Of an echo state network
// one step: its read-out by ridge regression.
struct Learnt {
  std::vector<double> losses;       // sum before each step, and behind the last one
  std::vector<std::int64_t> steps;  // of the kept networks: 0, 1, 2, 4, ... and the last
  std::vector<Network> kept;
  std::uint64_t bytes() const;
};
inline constexpr std::int64_t kMostTrainingSteps = 5000;
// Errors (usage): steps below 1 or above kMostTrainingSteps, those of unfold(); cancelled.
Result<Learnt> learn(const Network& network, const std::vector<std::int64_t>& tokens, std::int64_t steps, double rate,
                     const CancelToken& cancel = {});
// W_hy = Y^T H (H^T H + ridge I)^-1 over the steps that another follows, with a constant beside the states (Jaeger 2001); as its
// answers are no logarithms, they are multiplied by `sharpness` before the softmax.
Result<Network> fit_read_out(const Network& network, const Unfolded& unfolded, double ridge = 1e-4, double sharpness = 8);

// ||d hidden_at / d x_t||_F for t = 0 .. at: how much an input still moves a later state (Pascanu et al. 2013).
Result<std::vector<double>> influence(const Network& network, const Unfolded& unfolded, std::int64_t at,
                                      const CancelToken& cancel = {});
// The same of one attention without mask over the same one-hot inputs: q, k, v = W x of `units` numbers from the seed, out_at =
// sum_t softmax(q_at k_t / sqrt(units)) v_t.
std::vector<double> attention_influence(const std::vector<std::int64_t>& tokens, std::int64_t symbols, std::int64_t units,
                                        std::uint64_t seed, std::int64_t at);

// Length of the gradient after n = 0 .. steps steps back, 1 at first, over `steps` random symbols: where it falls to nothing,
// earlier inputs are not learnt from; where it grows, training jumps.
Result<std::vector<double>> gradient_lengths(const Network& network, std::int64_t steps, const CancelToken& cancel = {});

// The outputs y [T] of a state space's channel by its recurrence alone, one step after the other: O(T states), where the matrix
// below takes O(T^2 states). Errors: as unrolled()'s.
Result<std::vector<double>> scanned(const Network& network, const Unfolded& unfolded, std::int64_t channel);

// M [T, T] of a state space's channel, f64: y = M u, M_ij = C_i exp(A sum_{k=j+1..i} Delta_k) Delta_j B_j for j <= i, with D on
// the diagonal (Dao and Gu 2024, the matrix form). Error (usage): another kind, or no such channel.
Result<Tensor> unrolled(const Network& network, const Unfolded& unfolded, std::int64_t channel);

}  // namespace headlight::recurrence
