// One text learnt by a vanilla recurrent network, an LSTM, two attention layers and two linear attention layers, side by side:
// with the same number of units, the same optimiser and the same loss. A training is a value: it can be copied after any step,
// and the copy continues in the same way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/recurrence/adam.h"
#include "engine/recurrence/attention_network.h"
#include "engine/recurrence/text_learner.h"

namespace headlight::recurrence {

// Two attention layers that learn a text, as a Learner does with a recurrent network.
class AttentionLearner {
 public:
  // Errors: those of read(); cancelled.
  // begin(network, tokens, 0.02): before the first step.
  static Result<AttentionLearner> begin(const AttentionNetwork& network, const std::vector<std::int64_t>& tokens, double rate,
                                        const CancelToken& cancel = {});
  // Takes one step. A step that fails changes nothing. Error: cancelled.
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
  AttentionReading reading_;  // by the network in its present state
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

// The learning of one network so far.
struct LearningCurve {
  std::string id, label;        // "attention", "two attention layers"
  std::int64_t parameters = 0;  // number of learnt numbers
  std::vector<double> losses;   // the sum over the text in nat, before each step and after the last one
};

class SideBySide {
 public:
  // Errors (usage): those of draw() and unfold(), a rate that is not above 0; cancelled.
  // begin({}, {0, 1, 0, 1}, 2): four networks of 16 units over two symbols.
  static Result<SideBySide> begin(const SideBySideSettings& settings, const std::vector<std::int64_t>& tokens,
                                  std::int64_t symbols, const CancelToken& cancel = {});
  // Takes one step of each network. A step that fails changes nothing. Error: cancelled.
  Status step(const CancelToken& cancel = {});

  std::int64_t steps() const { return recurrent_.front().steps(); }
  // In the order rnn, lstm, attention, linear. The last is two layers of linear attention, which are recurrent as well.
  std::vector<LearningCurve> curves() const;
  // The number of tokens behind the first one that network `which` predicts: its most probable next token is the one that comes.
  std::int64_t right(std::size_t which) const;
  std::int64_t asked() const { return static_cast<std::int64_t>(tokens_.size()) - 1; }

 private:
  std::vector<std::int64_t> tokens_;
  std::vector<Learner> recurrent_;
  std::vector<AttentionLearner> attending_;
};

}  // namespace headlight::recurrence
