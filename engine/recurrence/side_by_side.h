// One text learnt by a vanilla recurrent network, an LSTM and two attention layers, side by side: as many units, the same
// optimiser, the same loss. A training is a value: it can be copied after any step, and goes on from there the same way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/recurrence/adam.h"
#include "engine/recurrence/attention_network.h"
#include "engine/recurrence/text_learner.h"

namespace headlight::recurrence {

// Two attention layers that learn a text, as Learner is a recurrent network that does.
class AttentionLearner {
 public:
  // Errors: those of read(); cancelled.
  static Result<AttentionLearner> begin(const AttentionNetwork& network, const std::vector<std::int64_t>& tokens, double rate,
                                        const CancelToken& cancel = {});
  // One step. Everything stays as it was where it fails. Error: cancelled.
  Status step(const CancelToken& cancel = {});
  const AttentionNetwork& network() const { return network_; }
  const AttentionReading& reading() const { return reading_; }
  std::int64_t steps() const { return static_cast<std::int64_t>(losses_.size()) - 1; }
  const std::vector<double>& losses() const { return losses_; }  // as Learner::losses()
  std::uint64_t bytes() const {
    return sizeof(double) * (4 * network_.numbers.size() + losses_.size()) + reading_.guesses.bytes();
  }

 private:
  AttentionNetwork network_;
  std::vector<std::int64_t> tokens_;
  AttentionReading reading_;  // by the network as it is
  double rate_ = 0;
  std::vector<double> losses_;
  AdamState adam_;
};

struct SideBySideSettings {
  std::int64_t units = 16;  // of the states, and of the attention layers' rows
  double scale = 1;         // of the recurrent weights
  double rate = 0.02;       // of Adam
  std::uint64_t seed = 0;
  bool operator==(const SideBySideSettings&) const = default;
};

// How one of them has learnt so far.
struct LearningCurve {
  std::string id, label;        // "attention", "two attention layers"
  std::int64_t parameters = 0;  // numbers that are learnt
  std::vector<double> losses;   // the sum over the text in nat, before each step and after the last one
};

class SideBySide {
 public:
  // Errors (usage): those of draw() and unfold(), a rate that is not above 0; cancelled.
  static Result<SideBySide> begin(const SideBySideSettings& settings, const std::vector<std::int64_t>& tokens,
                                  std::int64_t symbols, const CancelToken& cancel = {});
  // One step of each. Everything stays as it was where it fails. Error: cancelled.
  Status step(const CancelToken& cancel = {});

  std::int64_t steps() const { return recurrent_.front().steps(); }
  // rnn, lstm, attention, linear: the last is two layers of linear attention, which are recurrent as well.
  std::vector<LearningCurve> curves() const;
  // How many of the tokens behind the first one that network expects: its most probable next token is the one that comes.
  std::int64_t right(std::size_t which) const;
  std::int64_t asked() const { return static_cast<std::int64_t>(tokens_.size()) - 1; }

 private:
  std::vector<std::int64_t> tokens_;
  std::vector<Learner> recurrent_;
  std::vector<AttentionLearner> attending_;
};

}  // namespace headlight::recurrence
