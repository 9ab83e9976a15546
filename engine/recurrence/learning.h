// Learning of a text by these networks, and the reach of their gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/recurrence/network.h"

namespace headlight::recurrence {

// A training on one text: Adam (Kingma and Ba 2015) on the sum of its losses, with gradients cut at length 1. An echo state
// network takes one step, the ridge regression of its read-out.
struct Learnt {
  std::vector<double> losses;       // the sum before each step, and after the last one
  std::vector<std::int64_t> steps;  // of the kept networks: 0, 1, 2, 4, ... and the last
  std::vector<Network> kept;
  std::uint64_t bytes() const;
};
inline constexpr std::int64_t kMostTrainingSteps = 5000;
// Errors (usage): steps below 1 or above kMostTrainingSteps, those of unfold(); cancelled.
// learn(network, tokens, 100, 0.02): 101 losses, and the networks of the steps 0, 1, 2, 4, ..., 64, 100.
Result<Learnt> learn(const Network& network, const std::vector<std::int64_t>& tokens, std::int64_t steps, double rate,
                     const CancelToken& cancel = {});
// W_hy = Y^T H (H^T H + ridge I)^-1 over all steps but the last, with a constant beside the states (Jaeger 2001). The
// regression's answers are no logarithms, so they are multiplied by `sharpness` before the softmax.
// fit_read_out(network, *unfold(network, tokens)): the network with another W_hy and b_y.
Result<Network> fit_read_out(const Network& network, const Unfolded& unfolded, double ridge = 1e-4, double sharpness = 8);

// |d hidden_at / d x_t||_F for t = 0 .. at: the change of a later state with an earlier input (Pascanu et al. 2013).
// influence(network, unfolded, 5): six numbers.
Result<std::vector<double>> influence(const Network& network, const Unfolded& unfolded, std::int64_t at,
                                      const CancelToken& cancel = {});
// The same for one attention without mask over the same one-hot inputs: q, k, v = W x of `units` numbers from the seed, out_at =
// sum_t softmax(q_at k_t / sqrt(units)) v_t.
// attention_influence({0, 1, 0}, 2, 16, 0, 2): three numbers, one a token.
std::vector<double> attention_influence(const std::vector<std::int64_t>& tokens, std::int64_t symbols, std::int64_t units,
                                        std::uint64_t seed, std::int64_t at);

// The length of the gradient after n = 0 .. steps steps back over random symbols, 1 at first. Where it falls to 0, the network
// cannot learn from earlier inputs; where it grows, the training jumps.
// gradient_lengths(network, 50): 51 numbers.
Result<std::vector<double>> gradient_lengths(const Network& network, std::int64_t steps, const CancelToken& cancel = {});

// The outputs y [T] of a state space's channel by its recurrence alone, one step after the other: O(T states) operations, where
// unrolled() takes O(T^2 states). Errors: those of unrolled().
// scanned(network, unfolded, 0): of the first channel.
Result<std::vector<double>> scanned(const Network& network, const Unfolded& unfolded, std::int64_t channel);

// M [T, T] of a state space's channel, f64: y = M u, M_ij = C_i exp(A sum_{k=j+1..i} Delta_k) Delta_j B_j for j <= i, with D on
// the diagonal (Dao and Gu 2024, the matrix form). Error (usage): the network is no state space, or has no such channel.
// unrolled(network, unfolded, 0): of the first channel.
Result<Tensor> unrolled(const Network& network, const Unfolded& unfolded, std::int64_t channel);

}  // namespace headlight::recurrence
