// A training of one network on one text that can be stopped, read and continued after any step. Its numbers do not depend on the
// stops.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/recurrence/adam.h"
#include "engine/recurrence/network.h"

namespace headlight::recurrence {

// Adam (Kingma and Ba 2015) on the sum of the text's losses, with gradients cut at length 1. An echo state network takes one
// step, the ridge regression of its read-out.
class Learner {
 public:
  // Errors: those of unfold().
  // begin(network, tokens, 0.02): before the first step.
  static Result<Learner> begin(const Network& network, const std::vector<std::int64_t>& tokens, double rate,
                               const CancelToken& cancel = {});

  // Takes one step. Errors: those of unfold(); the learner is then unchanged.
  Status step(const CancelToken& cancel = {});
  // Whether further steps change nothing: an echo state network has one step only.
  bool done() const { return !network_.kind().trains && steps() > 0; }

  const Network& network() const { return network_; }
  std::int64_t steps() const { return static_cast<std::int64_t>(losses_.size()) - 1; }
  // The sum of the losses before each step, and after the last one.
  const std::vector<double>& losses() const { return losses_; }
  const Unfolded& unfolded() const { return unfolded_; }  // of the network in its present state
  std::uint64_t bytes() const { return sizeof(double) * (4 * network_.numbers.size() + losses_.size()); }

 private:
  Learner(Network network, Unfolded unfolded, double rate);

  Network network_;
  Unfolded unfolded_;
  double rate_;
  std::vector<double> losses_;
  AdamState adam_;
};

// The units of a network, sorted from the longest memory to the shortest: an LSTM's by their mean forget gate, a state space's
// channels by their mean step Delta (a small step keeps the state), others by the likeness of h_t and h_{t-1}.
// by_memory(network, unfolded)[0]: the unit that remembers longest.
std::vector<std::int64_t> by_memory(const Network& network, const Unfolded& unfolded);

}  // namespace headlight::recurrence
