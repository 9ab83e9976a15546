// The data of the Recurrence view: the tokens that a network reads, the network as far as it has learnt, and the values read from
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/charts/curves.h"
#include "app/figures/recurrence/recurrence_figures.h"
#include "app/views/base/context.h"
#include "app/views/recurrence/state.h"
#include "engine/recurrence/learning.h"
#include "engine/recurrence/text_learner.h"

namespace headlight::views::recurrent {

// Longer texts are cut to their first tokens.
inline constexpr std::int64_t kMostReadTokens = 256;
// Learning steps between two pictures, and the largest number of learning steps.
inline constexpr std::int64_t kLearnEach = 10, kMostLearnt = 1000;
inline constexpr double kLearnRate = 0.02;

struct ReadText {
  std::vector<std::string> labels;
  std::vector<std::int64_t> symbols;  // one index into `names` a token, by recurrence::alphabet_of
  std::vector<std::string> names;     // one a symbol
  std::vector<int> hues;              // one a token, index into Theme::hues
  std::int64_t all = 0;               // tokens of the whole text, of which the first are read
  bool of_document = true;            // false: the letters of the lecture's word or of the repeating sequence
  std::int64_t count() const { return static_cast<std::int64_t>(symbols.size()); }
};

// A network over the text, and the values computed from it.
struct ReadNetwork {
  recurrence::Network network;
  recurrence::Unfolded unfolded;
  std::vector<std::int64_t> order;  // the units, the longest memory first
  std::vector<double> influence;    // of each token on the last state
  std::uint64_t bytes() const;
};

struct Reading {
  std::string words;  // why nothing is shown; empty: something is shown
  ReadText text;
  DerivedKey key;                                      // names the text and the sizes
  std::shared_ptr<const ReadNetwork> net;              // the chosen kind's network; null: being computed
  std::shared_ptr<const recurrence::Learner> learner;  // its learner after the view's steps, or the last known one
  bool learning = false;                               // the view asks for more steps than are known
  std::int64_t selected = 0;                           // the token whose influence on the last one is shown
  const recurrence::Kind& kind() const { return *recurrence::kinds().find(net->network.settings.kind); }
};
// How far the pointed-at token reaches, in a sentence: "creature is token 4 of 8, read one after the other. ...".
// reach_sentence(state) names state.selected.
std::string reach_sentence(const Reading& state);
// The state of the view; a network that is not yet known is computed in the background.
Reading reading_of(const Context& context);

// The learner of one kind after the view's learning steps. While that is computed, the last known learner, and `complete` becomes
// false. Null: none is known.
// newest_learner(context, state, "lstm", &complete)->network() is the LSTM to draw.
std::shared_ptr<const recurrence::Learner> newest_learner(const Context& context, const Reading& state, const std::string& kind,
                                                          bool* complete = nullptr);

// The unrolled network's columns from token `first` on, `count` of them.
// unfolded_input(context, state, 0, 8) shows the first eight tokens.
figures::UnfoldedInput unfolded_input(const Context& context, const Reading& state, std::int64_t first, std::int64_t count);
// The influence of each token on the last state by its distance, for every kind and for attention. `complete` becomes false while
// a curve is unknown.
// reach_input(context, state, &complete).hot is the distance of the selected token.
figures::CurvesInput reach_input(const Context& context, const Reading& state, bool* complete = nullptr);
// The values of all curves at the selected token's distance.
// reach_words(state, reach_input(context, state)) is "creature, 4 back: LSTM 0.23, ..., attention (random) 1.8".
std::string reach_words(const Reading& state, const figures::CurvesInput& input);
// The gradient's length by steps back of the vanilla RNN and the LSTM: with the drawn recurrent weights, and with these weights
// times the view's factor.
// gradient_input(context, state) has a second curve for each kind if the view's factor is not 1.
figures::CurvesInput gradient_input(const Context& context, const Reading& state);
// The loss by learning step of every kind and of two attention layers. `complete` becomes false while one of them has taken fewer
// steps than the view asks for.
// learning_input(context, state, &complete) with bool complete = true.
figures::CurvesInput learning_input(const Context& context, const Reading& state, bool* complete = nullptr);

// One channel of a state space model as a matrix M, so that y = M u.
struct UnrolledState {
  std::shared_ptr<const Tensor> matrix;  // f32 [output token, input token]; null: being computed
  double apart = 0;                      // the largest |M u - y|, with y from the recurrence itself
  std::string error;
};
// unrolled_state(context, state) takes the view's channel; unrolled_input(context, state, unrolled) draws its matrix.
UnrolledState unrolled_state(const Context& context, const Reading& state);
figures::HeatmapInput unrolled_input(const Context& context, const Reading& state, const UnrolledState& unrolled);
// The shown head of attention over the same tokens. Without values if there is no head, or if the letters are not the document's.
// beside_input(context, state) is a map as large as unrolled_input()'s.
figures::HeatmapInput beside_input(const Context& context, const Reading& state);

// Seconds of one channel's scan and of its matrix, by length. A length that is not yet measured has NaN.
// scan_times(context, state, 3) measures 64, 128 and 256 tokens, one after the other in the background.
inline constexpr std::int64_t kScanLengths[] = {64, 128, 256, 512, 1024};
struct ScanTimes {
  figures::CurvesInput input;
  std::size_t done = 0;
  bool measuring = false;
  std::string words;  // the exponents of the length, once all lengths are known
};
ScanTimes scan_times(const Context& context, const Reading& state, std::size_t lengths);

// The forms of networks that the view compares: how many inputs and outputs each has.
std::vector<figures::NetworkForm> form_list();

}  // namespace headlight::views::recurrent
