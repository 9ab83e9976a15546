// What the Recurrence view shows: the tokens that a network reads, the network as it has learnt so far, and what is read out of
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/charts/curves.h"
#include "app/figures/recurrence/recurrence_figures.h"
#include "app/panels/shared/panel.h"
#include "engine/recurrence/learning.h"
#include "engine/recurrence/text_learner.h"

namespace headlight::panels {

// Texts beyond this are read by their first tokens.
inline constexpr std::int64_t kMostReadTokens = 256;
// Steps of learning between two pictures, and the most there are.
inline constexpr std::int64_t kLearnEach = 10, kMostLearnt = 1000;
inline constexpr double kLearnRate = 0.02;

struct ReadText {
  std::vector<std::string> labels;
  std::vector<std::int64_t> symbols;  // by recurrence::alphabet_of
  std::vector<std::string> names;     // of the symbols
  std::vector<int> hues;
  std::int64_t all = 0;     // tokens of the text, of which the first are read
  bool of_document = true;  // false: letters of the lecture's or of the sequence that repeats itself
  std::int64_t count() const { return static_cast<std::int64_t>(symbols.size()); }
};

// A network over the text, and what follows from it.
struct ReadNetwork {
  recurrence::Network network;
  recurrence::Unfolded unfolded;
  std::vector<std::int64_t> order;  // of the units, the longest memory first
  std::vector<double> influence;    // of each token on the last state
  std::uint64_t bytes() const;
};

struct RecurrenceState {
  std::string words;  // why nothing is shown; empty: something is
  ReadText text;
  std::string key;                                     // of the text and the sizes
  std::shared_ptr<const ReadNetwork> net;              // of the chosen kind; null: being computed
  std::shared_ptr<const recurrence::Learner> learner;  // it learnt by; as many steps as the view says, or the last known
  bool learning = false;                               // the view asks for more steps than are known
  std::int64_t selected = 0;                           // the token that is followed to the last one
  const recurrence::Kind& kind() const { return *recurrence::kinds().find(net->network.settings.kind); }
};
RecurrenceState recurrence_state(const Context& context);

// The network of one kind after the view's steps of learning, or the last known one while it is computed, which makes `complete`
// false; null: there is none.
std::shared_ptr<const recurrence::Learner> newest_learner(const Context& context, const RecurrenceState& state,
                                                          const std::string& kind, bool* complete = nullptr);

// The columns from `first` on, `count` of them.
figures::UnfoldedInput unfolded_input(const Context& context, const RecurrenceState& state, std::int64_t first,
                                      std::int64_t count);
// Influence of each token on the last state by its distance, of every kind and of attention. `complete`: all are known.
figures::CurvesInput reach_input(const Context& context, const RecurrenceState& state, bool* complete = nullptr);
// "creature, 4 back: LSTM .23, vanilla RNN .40, attention 1.8"
std::string reach_words(const RecurrenceState& state, const figures::CurvesInput& input);
// The gradient's length by steps back, of each kind that learns by gradients, as it is drawn and with recurrent weights times the
// view's factor.
figures::CurvesInput gradient_input(const Context& context, const RecurrenceState& state);
// Loss by step of learning of every kind. `complete`: all have taken the view's steps.
figures::CurvesInput learning_input(const Context& context, const RecurrenceState& state, bool* complete = nullptr);

// A state space as a matrix.
struct UnrolledState {
  std::shared_ptr<const Tensor> matrix;  // f32 [T, T]; null: being computed
  double apart = 0;                      // the largest difference of M u from the recurrence's own output
  std::string error;
};
UnrolledState unrolled_state(const Context& context, const RecurrenceState& state);
figures::HeatmapInput unrolled_input(const Context& context, const RecurrenceState& state, const UnrolledState& unrolled);
// The shown head of attention over the same tokens; no values: there is none, or the letters are not the document's.
figures::HeatmapInput beside_input(const Context& context, const RecurrenceState& state);

// Seconds of one channel's scan and of its matrix, by length. Lengths that are not measured yet are NaN.
inline constexpr std::int64_t kScanLengths[] = {64, 128, 256, 512, 1024};
struct ScanTimes {
  figures::CurvesInput input;
  std::size_t done = 0;
  bool measuring = false;
  std::string words;  // the exponents, when all lengths are known
};
ScanTimes scan_times(const Context& context, const RecurrenceState& state, std::size_t lengths);

std::vector<figures::NetworkForm> form_list();

}  // namespace headlight::panels
