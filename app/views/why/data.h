// What the pages need: computed from a trace in the background, kept under a key; and the view's state from frame to frame.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/views/base/context.h"
#include "app/views/why/pictures.h"
#include "app/views/why/state.h"
#include "engine/insight/head_composition.h"
#include "engine/insight/information_routes.h"
#include "engine/insight/logit_contributions.h"
#include "engine/insight/logit_lens.h"
#include "engine/pipeline/token_choice.h"

namespace headlight::views::why {

// The view's own state in the shown one.
inline State& state_of(const Context& context) { return context.view.own.of<State>(); }

// One position of the sentence that a model writes or, where it writes none, reads.
struct Place {
  std::shared_ptr<const Trace> trace;
  std::int64_t batch = 0, position = 0;
  bool predicts = false;  // the model has a score for every word there
  const Sentence& sentence() const;
  const tokenizers::Tokenizer& tokenizer() const;
  std::string label() const { return sentence().labels[static_cast<std::size_t>(position)]; }
  std::string word(std::int32_t token) const { return tokenizer().display_text(token); }
  DerivedKey key() const;
};
// None: there is no trace, or its first sentence has no token.
std::optional<Place> place_in(const Context& context);

// How far work in the background is.
struct Progress {
  std::atomic<std::int64_t> done = 0, total = 0;
};

// All are null while they are being computed, and after an error, whose sentence is then in `error`.
// shares_of(context, place, &error)->adds_up()
std::shared_ptr<const InformationShares> shares_of(const Context& context, const Place& place, std::string* error,
                                                   const std::shared_ptr<Progress>& progress = {});
// The words of that position, best first.
struct Words {
  std::vector<double> scores;  // by token
  std::vector<TokenCandidate> best;
  std::uint64_t bytes() const { return scores.size() * (sizeof(double) + sizeof(TokenCandidate)); }
};
std::shared_ptr<const Words> words_behind(const Context& context, const Place& place);
std::shared_ptr<const LogitLens> lens_of(const Context& context, const Place& place);
inline constexpr std::size_t kWordsNear = 5;
// The words nearest to a vector of the stack that predicts: what the model would say if it ended there.
std::shared_ptr<const std::vector<TokenCandidate>> words_near(const Context& context, const Place& place,
                                                              const InformationShares& shares, const RouteVector& at);
std::shared_ptr<const LogitDifference> difference_of(const Context& context, const Place& place, std::int32_t word,
                                                     std::int32_t over, std::string* error);
// The difference that is left when each of the kMostRemoved heads with the largest parts is taken out, by index of
// LogitDifference::parts.
inline constexpr std::size_t kMostRemoved = 8;
struct WithoutHeads {
  std::vector<std::size_t> parts;
  std::vector<double> differences;
};
std::vector<std::size_t> largest_heads(const LogitDifference& difference, std::size_t most);
std::shared_ptr<const WithoutHeads> without_heads_of(const Context& context, const Place& place,
                                                     const std::shared_ptr<const LogitDifference>& difference, std::int32_t word,
                                                     std::int32_t over);
std::shared_ptr<const std::vector<float>> heads_of_edge(const Context& context, const Place& place,
                                                        const InformationShares& shares, const InformationRoutes::Edge& edge);

// Of the model, whatever the text.
std::shared_ptr<const HeadComposition> composition_of(const Context& context, const Place& place, std::string* error,
                                                      const std::shared_ptr<Progress>& progress = {});
HeadComposition::Kind composition_kind(const Context& context);

// The word that is asked about, and the one it is compared with. -1: the model predicts none.
struct Asked {
  std::int32_t word = -1, over = -1;
};
// Of the best words behind the place the best one that stands in the sentence, too, and is not `word`; -1: none.
std::int32_t other_in_text(const Place& place, const Words& words, std::int32_t word);
Asked asked_in(const Context& context, const Place& place, const Words* words);

// The routes to the asked vector, and which of their edges and vectors is chosen: -1 where none is.
struct ShownRoutes {
  InformationRoutes routes;
  std::int64_t edge = -1, vector = -1;
};
// shown_routes(context, place, *shares) has the edge with the largest share chosen where the view names none.
ShownRoutes shown_routes(const Context& context, const Place& place, const InformationShares& shares);
figures::RouteGraphInput graph_input(const Context& context, const Place& place, const InformationShares& shares,
                                     const ShownRoutes& shown, const Words* words);
// The column of a vector in the graph: a source's tokens stand before those of the target.
std::int64_t column_of(const Place& place, const InformationShares& shares, const RouteVector& at);
// "·wild after 4 layers", or the embedding of it.
std::string vector_words(const Place& place, const InformationShares& shares, const RouteVector& at);
std::string label_of(const Place& place, const InformationShares& shares, const RouteVector& at);
figures::RingedMapInput ringed_input(const Context& context, const Place& place, const InformationShares& shares,
                                     const InformationRoutes::Edge& edge, std::int64_t head);

// The view's state from frame to frame.
struct Own {
  double playing_since = -1;  // steady_seconds() of the start; -1: everything is shown
  std::int64_t hot_edge = -1, hot_next = -1;
  std::int64_t hot_vector = -1, hot_vector_next = -1;
  // The last computed shares, shown until those of a new trace are ready.
  std::shared_ptr<const InformationShares> shares;
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<Progress> sharing = std::make_shared<Progress>(), composing = std::make_shared<Progress>();
};

}  // namespace headlight::views::why
