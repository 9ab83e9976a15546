// What the Next word view computes from a trace, in the background lane, and what it keeps from frame to frame.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/panels/shared/panel.h"
#include "engine/insight/logit_contributions.h"
#include "engine/insight/logit_lens.h"
#include "engine/insight/predictions.h"
#include "engine/pipeline/generate.h"
#include "engine/pipeline/growing_text.h"

namespace headlight::panels {

// What is looked at: one position of one sentence of a trace that predicts next tokens, or that fills in what stands there.
struct NextWordPlace {
  std::shared_ptr<const Trace> trace;
  std::int64_t batch = 0, position = 0;
  bool fills = false;  // the candidates are for the position itself, not for what follows
  const Sentence& sentence() const { return predicted_sentence(*trace, batch); }
  const tokenizers::Tokenizer& tokenizer() const { return predicted_tokenizer(*trace); }
  std::int64_t tokens() const { return static_cast<std::int64_t>(sentence().tokens.size()); }
  std::string label() const { return sentence().labels[static_cast<std::size_t>(position)]; }
  std::string word(std::int32_t token) const { return tokenizer().display_text(token); }
  bool masked() const;      // [MASK] stands there
  TokenIds ids() const;     // of the sentence up to the position
  std::string key() const;  // of values that depend on all of it
};
// None: the trace predicts nothing, or there is none.
std::optional<NextWordPlace> next_word_place(const Context& context);

// All candidates of one position, best first, with their logits.
struct RankedScores {
  std::vector<double> scores;              // by token
  std::vector<TokenCandidate> candidates;  // at temperature 1
  std::uint64_t bytes() const { return scores.size() * (sizeof(double) + sizeof(TokenCandidate)); }
};

// What can be drawn of them.
struct DrawnShares {
  std::size_t allowed = 0;
  std::vector<double> shares;  // of the first candidates, in their order
  double listed_model = 0, listed_drawn = 0;
};
SamplingOptions sampling_of(const NextWordView& view);

// One attention row of a head, and its share of the tracked token's logit.
struct HeadPush {
  std::string prefix;
  std::int64_t layer = 0, head = 0;
  double push = 0;
  std::vector<double> weights;  // by key
};
struct HeadPushes {
  std::vector<HeadPush> heads;  // of the shown kind of attention, the strongest push first
  double logit = 0, embedding = 0, feed_forward = 0, others = 0;
};

// One typed continuation: its tokens and their probabilities behind the position.
struct Continued {
  TokenIds tokens;
  std::string words;           // as they are shown: "·Turkey"
  double log_probability = 0;  // of all of them, by the chain rule
};

// A model that texts are continued with; shared by the jobs of the lane.
struct SharedGrowingText {
  std::mutex mutex;
  std::optional<GrowingText> text;
};

// Words that were generated behind a place.
struct GeneratedWords {
  std::string key;  // NextWordPlace::key() of where they begin
  struct Word {
    std::int32_t token = 0;
    double chance = 1;
  };
  std::vector<Word> words;
  std::size_t wanted = 0;  // how many there are to be; fewer than are there: none are being made
  bool ended = false;      // the last one is the end token
  std::string error;
};

// What lives from frame to frame.
struct NextWordTransient {
  std::int32_t pointed = -1;   // the candidate under the mouse, -1: none
  std::string ghost;           // what Tab would put behind the sentence; empty: nothing
  std::int64_t scrolled = -2;  // the position that the cards were scrolled to, and the width that they had
  float scrolled_width = 0;
  GeneratedWords generated;
  std::shared_ptr<const Predictions> predictions;  // the last ones: shown until those of a new trace are there
};

std::shared_ptr<const Predictions> predictions_of(const Context& context, const NextWordPlace& place);
std::shared_ptr<const RankedScores> ranked_of(const Context& context, const NextWordPlace& place);
// What the list shows: the model's own, or what it would say after NextWordView::layer layers.
std::shared_ptr<const RankedScores> shown_ranked_of(const Context& context, const NextWordPlace& place);
// The layers behind which the shown list stands; -1: all.
std::int64_t shown_layer(const Context& context, const LogitLens& lens);
DrawnShares drawn_of(const RankedScores& ranked, const SamplingOptions& options, std::size_t listed);
std::shared_ptr<const LogitLens> lens_of(const Context& context, const NextWordPlace& place);
// `error` says why there is none.
std::shared_ptr<const HeadPushes> pushes_of(const Context& context, const NextWordPlace& place, std::int32_t token,
                                            std::string* error);

// The tokens of a typed continuation behind the place: a word of its own, behind a space, unless it begins with a sign.
TokenIds continuation_ids(const NextWordPlace& place, const std::string& typed);
std::shared_ptr<const Continued> continued_of(const Context& context, const NextWordPlace& place, const TokenIds& ids,
                                              std::string* error);

// The token that is followed in lens and table: the one under the mouse, the clicked one, or the best.
std::int32_t tracked_token(const Context& context, const NextWordPlace& place, const RankedScores& ranked);

// The sentence up to the place with these tokens behind it, as a document.
Document continued_document(const Context& context, const NextWordPlace& place, const TokenIds& added);
// With the token, or [MASK], in the place of the one that stands there, of a model that fills in.
Document filled_document(const Context& context, const NextWordPlace& place, std::int32_t token);
// Adds words that have become ready and asks for the next one.
void go_on_generating(const Context& context, const NextWordPlace& place, GeneratedWords& generated);

// Where the last of the added words looks, in the layer and head that the other views show: its weights on every token up to
// itself. Null: not ready, or it stands otherwise in a text of its own.
std::shared_ptr<const std::vector<double>> attention_of_added(const Context& context, const NextWordPlace& place,
                                                              const TokenIds& added);
HeadRef shown_head(const Context& context, const NextWordPlace& place);

}  // namespace headlight::panels
