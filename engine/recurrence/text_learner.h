// A training of one network on one text that can be stopped after any step, looked at and continued: what it does is the same
// however it is cut into parts.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/recurrence/adam.h"
#include "engine/recurrence/network.h"

namespace headlight::recurrence {

// Adam (Kingma and Ba 2015) on the sum of the text's losses, with gradients cut at length 1. Of an echo state network one step:
// its read-out by ridge regression.
class Learner {
 public:
  // Errors: those of unfold().
  static Result<Learner> begin(const Network& network, const std::vector<std::int64_t>& tokens, double rate,
                               const CancelToken& cancel = {});

  // Takes one step. Errors: those of unfold(); the learner is then as before.
  Status step(const CancelToken& cancel = {});
  // Whether a further step changes anything: an echo state network has one only.
  bool done() const { return !network_.kind().trains && steps() > 0; }

  const Network& network() const { return network_; }
  std::int64_t steps() const { return static_cast<std::int64_t>(losses_.size()) - 1; }
  // The sum of the losses before each step, and after the last one.
  const std::vector<double>& losses() const { return losses_; }
  const Unfolded& unfolded() const { return unfolded_; }  // of the network as it is
  std::uint64_t bytes() const { return sizeof(double) * (4 * network_.numbers.size() + losses_.size()); }

 private:
  Learner(Network network, Unfolded unfolded, double rate);

  Network network_;
  Unfolded unfolded_;
  double rate_;
  std::vector<double> losses_;
  AdamState adam_;
};

// The units of a network from the one that remembers longest to the one that forgets first: an LSTM's by its mean forget gate, a
// state space's channels by their mean step Delta (a small step keeps the state), others' by how alike h_t and h_{t-1} are.
std::vector<std::int64_t> by_memory(const Network& network, const Unfolded& unfolded);

}  // namespace headlight::recurrence
