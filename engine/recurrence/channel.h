// One channel of a state space, computed in two ways: step by step, and as a matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/recurrence/network.h"

namespace headlight::recurrence {

// The numbers that a channel is computed from: s_t = exp(Delta_t A) s_{t-1} + Delta_t B_t u_t, y_t = C_t . s_t + D u_t, where s
// has as many numbers as `a` (Gu and Dao 2023).
struct Channel {
  std::vector<double> a;         // [states], below 0
  double skip = 1;               // D
  std::vector<double> delta, u;  // [T]
  std::vector<double> b, c;      // [T, states]
  std::int64_t steps() const { return static_cast<std::int64_t>(u.size()); }
  std::int64_t states() const { return static_cast<std::int64_t>(a.size()); }
};
// A channel of a network over a text. Errors (usage): the network is no state space, or has no such channel.
// channel_of(network, unfolded, 0): the first channel of a network of the kind "ssm".
Result<Channel> channel_of(const Network& network, const Unfolded& unfolded, std::int64_t channel);
// Random inputs, B and C of variance 1, Delta around 0.1, A = -1, ..., -states.
// drawn_channel(512, 16, 0): 512 steps of 16 states.
Channel drawn_channel(std::int64_t steps, std::int64_t states, std::uint64_t seed);

// y [T] by the recurrence: O(T states) operations, T steps one after another. Error: cancelled.
// scan(drawn_channel(512, 16, 0)): 512 outputs.
Result<std::vector<double>> scan(const Channel& channel, const CancelToken& cancel = {});
// M [T, T], f64, lower triangular: M_ij = C_i exp(A sum_{k=j+1..i} Delta_k) Delta_j B_j, with D added on the diagonal (Dao and Gu
// 2024). O(T^2 states) operations; every cell is independent of the others. Error: cancelled.
// matrix_of(channel): matrix_times() of it and channel.u is scan(channel).
Result<Tensor> matrix_of(const Channel& channel, const CancelToken& cancel = {});
// M u [T], of a lower triangular M. matrix_times(M, {1, 1}) of M = {{2, 0}, {3, 4}} gives {2, 7}.
std::vector<double> matrix_times(const Tensor& matrix, const std::vector<double>& u);

}  // namespace headlight::recurrence
