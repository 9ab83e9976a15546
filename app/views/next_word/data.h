// The values that the view Next word computes from a trace in the background, and its state from frame to frame.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/views/base/next_place.h"
#include "app/views/next_word/state.h"
#include "engine/insight/logit_contributions.h"
#include "engine/insight/logit_lens.h"
#include "engine/insight/predictions.h"
#include "engine/pipeline/generate.h"
#include "engine/pipeline/growing_text.h"

namespace headlight::views::next_word {

using Place = NextWordPlace;

inline State& state_of(const Context& context) { return context.view.own.of<State>(); }

// The position that the view asks for. None if there is no trace, or if the trace predicts nothing.
std::optional<Place> place_in(const Context& context);

// The candidates that sampling can draw.
struct DrawnShares {
  std::size_t allowed = 0;     // the number of candidates that top k and top p allow
  std::vector<double> shares;  // of the first `listed` candidates, in their order; 0 for one that is not allowed
};

// One attention row of a head, and the part of the tracked token's logit that the head contributes.
struct HeadPush {
  std::string prefix;
  std::int64_t layer = 0, head = 0;
  double push = 0;
  std::vector<double> weights;  // by key
};
struct HeadPushes {
  std::vector<HeadPush> heads;                                    // of the shown kind of attention, the strongest push first
  double logit = 0, embedding = 0, feed_forward = 0, others = 0;  // the logit and its other parts
};

// One typed continuation: its tokens and their probability behind the position.
struct Continued {
  TokenIds tokens;
  std::string words;           // as shown: "·Turkey"
  double log_probability = 0;  // natural logarithm, of all tokens together by the chain rule
};

// A model that continues texts, shared by the background jobs.
struct SharedGrowingText {
  std::mutex mutex;
  std::optional<GrowingText> text;
};

// The words that were generated behind a place.
struct GeneratedWords {
  DerivedKey key;  // Place::key() of the place where they begin
  struct Word {
    std::int32_t token = 0;
    double chance = 1;
  };
  std::vector<Word> words;
  std::size_t wanted = 0;  // the number of words asked for; none is being made once `words` has as many
  bool ended = false;      // the last word is the end token
  std::size_t seen = 0;    // words in the last frame
  std::string error;
};

// What lives from frame to frame.
struct Held {
  std::int32_t pointed = -1;   // the candidate under the mouse, -1: none
  std::int64_t scrolled = -2;  // the position that the cards were scrolled to; `scrolled_width`: the width that they had
  float scrolled_width = 0;
  GeneratedWords generated;
  std::shared_ptr<const Predictions> predictions;  // the latest ones, shown until those of a new trace are ready
};

// Null while they are being computed.
// predictions_of(context, place)->positions[0].best[0].token is the best guess behind the first token.
std::shared_ptr<const Predictions> predictions_of(const Context& context, const Place& place);
// The shown list: the model's own candidates, or what the model would say after State::layer layers.
// shown_ranked_of(context, place) equals ranked_of(context, place) while State::layer is -1.
std::shared_ptr<const RankedScores> shown_ranked_of(const Context& context, const Place& place);
// The layer after which the shown list is read; -1: after all layers.
// shown_layer(context, *lens) is -1 if the view names no layer below the last one.
std::int64_t shown_layer(const Context& context, const LogitLens& lens);
// drawn_of(*ranked, {0.7, 40, 1}, 10).shares are the chances of the ten best candidates at temperature 0.7 among the 40 best.
DrawnShares drawn_of(const RankedScores& ranked, const SamplingOptions& options, std::size_t listed);
std::shared_ptr<const LogitLens> lens_of(const Context& context, const Place& place);
// The heads' contributions to a token's logit; null while they are being computed, and after an error, whose sentence is in
// `error`.
// pushes_of(context, place, token, &error)->heads[0] is the head with the largest |push|.
std::shared_ptr<const HeadPushes> pushes_of(const Context& context, const Place& place, std::int32_t token, std::string* error);

// The tokens of a typed continuation behind the place. A space is put before a letter, a digit or a character beyond ASCII, but
// not before a sign.
// continuation_ids(place, "Turkey") encodes " Turkey", and continuation_ids(place, "!") encodes "!".
TokenIds continuation_ids(const Place& place, const std::string& typed);
// continued_of(context, place, ids, &error)->log_probability is that of these tokens together.
std::shared_ptr<const Continued> continued_of(const Context& context, const Place& place, const TokenIds& ids,
                                              std::string* error);

// The token that lens and table follow: the one under the mouse, else the clicked one, else the best one.
// tracked_token(context, place, *ranked) is ranked->candidates[0].token at first.
std::int32_t tracked_token(const Context& context, const Place& place, const RankedScores& ranked);

// Adds the words that have become ready and asks for the next one.
// go_on_generating(context, place, own.generated) in each frame.
void go_on_generating(const Context& context, const Place& place, GeneratedWords& generated);
// Starts or ends generating, and whether words are being made.
void turn_generating(const Context& context, const Place& place, GeneratedWords& generated);
bool is_generating(const GeneratedWords& generated);

// The weights of the last added word on every token up to itself, in the layer and head that the other views show. Null if they
// are not ready, or if the whole text would be cut into other tokens.
// attention_of_added(context, place, {token}) has place.position + 2 weights.
std::shared_ptr<const std::vector<double>> attention_of_added(const Context& context, const Place& place, const TokenIds& added);
// The layer and head of the view, limited to the model's.
// shown_head(context, place) is {0, 3} for a view of layer 0 and head 3.
HeadRef shown_head(const Context& context, const Place& place);

}  // namespace headlight::views::next_word
