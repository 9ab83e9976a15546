#include "app/views/why/data.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/figures/base/labels.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "engine/attention/masks/combined.h"
#include "engine/backends/backends.h"
#include "engine/core/sorting.h"
#include "engine/insight/explain.h"
#include "engine/insight/head_effects.h"
#include "engine/insight/predictions.h"
#include "engine/insight/residual_stream.h"
#include "engine/pipeline/predict.h"
#include "engine/pipeline/run.h"

namespace headlight::views::why {
namespace {

// The backend that computes beside the trace's own: the CPU, whatever device made the trace.
Result<std::shared_ptr<backends::Backend>> backend_beside() { return backends::open("cpu"); }

bool has_scores(const Trace& trace) {
  return std::any_of(trace.steps().begin(), trace.steps().end(), [](const Step& step) { return step.role == Role::logits; });
}

const Sentence& source_of(const Place& place) { return place.trace->texts()[static_cast<std::size_t>(place.batch)]; }

std::function<void(std::int64_t, std::int64_t)> counted_in(const std::shared_ptr<Progress>& progress) {
  return [progress](std::int64_t done, std::int64_t total) {
    if (!progress) return;
    progress->done = done;
    progress->total = total;
  };
}

template <class T>
std::shared_ptr<const T> taken(const Derived::Answer<T>& answer, std::string* error) {
  if (answer.error && error) *error = spoken_in_window(*answer.error);
  return answer.value;
}

}  // namespace

const Sentence& Place::sentence() const {
  const auto sentences = trace->targets().empty() ? trace->texts() : trace->targets();
  return sentences[static_cast<std::size_t>(batch)];
}

const tokenizers::Tokenizer& Place::tokenizer() const {
  return trace->targets().empty() ? *trace->tokenizer() : *trace->target_tokenizer();
}

DerivedKey Place::key() const { return DerivedKey("why/place", {trace->generation(), batch, position}); }

std::optional<Place> place_in(const Context& context) {
  if (!context.trace || context.trace->texts().empty() || context.trace->sites().empty()) return {};
  Place place;
  place.trace = context.trace;
  place.batch = std::clamp<std::int64_t>(context.view.batch, 0, static_cast<std::int64_t>(place.trace->texts().size()) - 1);
  const auto tokens = static_cast<std::int64_t>(place.sentence().tokens.size());
  if (tokens == 0) return {};
  place.predicts = has_scores(*place.trace);
  const std::int64_t wanted = state_of(context).position;
  if (wanted >= 0 && wanted < tokens) {
    place.position = wanted;
    return place;
  }
  place.position = tokens - 1;
  const auto& all = place.sentence().tokens;
  const std::int32_t end = place.tokenizer().special(tokenizers::Role::end),
                     mask = place.tokenizer().special(tokenizers::Role::mask);
  if (place.predicts && tokens > 1 && end >= 0 && all.back().id == end) --place.position;
  for (std::int64_t i = tokens; i-- > 0 && mask >= 0;)
    if (all[static_cast<std::size_t>(i)].id == mask) place.position = i;
  return place;
}

std::shared_ptr<const InformationShares> shares_of(const Context& context, const Place& place, std::string* error,
                                                   const std::shared_ptr<Progress>& progress) {
  return taken(context.derived.later<InformationShares>(
                   DerivedKey("why/shares", {place.trace->generation(), place.batch}),
                   [trace = place.trace, batch = place.batch, progress](const CancelToken& cancel) -> Result<InformationShares> {
                     HL_ASSIGN(const auto backend, backend_beside());
                     return information_shares(*trace, batch, *backend, cancel, counted_in(progress));
                   }),
               error);
}

std::shared_ptr<const Words> words_behind(const Context& context, const Place& place) {
  if (!place.predicts) return nullptr;
  return context.derived
      .later<Words>(DerivedKey("why/words", {place.key()}),
                    [place](const CancelToken&) -> Result<Words> {
                      Words words;
                      HL_ASSIGN(words.scores, scores_behind(*place.trace, place.batch, place.position));
                      words.best = ranked_tokens(words.scores, 1, 20);
                      return words;
                    })
      .value;
}

std::shared_ptr<const LogitLens> lens_of(const Context& context, const Place& place) {
  if (!place.predicts) return nullptr;
  const auto tokens = static_cast<std::int64_t>(place.sentence().tokens.size());
  return context.derived
      .later<LogitLens>(DerivedKey("why/lens", {place.trace->generation(), place.batch}),
                        [trace = place.trace, batch = place.batch, tokens](const CancelToken& cancel) -> Result<LogitLens> {
                          HL_ASSIGN(const auto backend, backend_beside());
                          return logit_lens(*trace, batch, tokens, *backend, cancel);
                        })
      .value;
}

std::shared_ptr<const std::vector<TokenCandidate>> words_near(const Context& context, const Place& place,
                                                              const InformationShares& shares, const RouteVector& at) {
  if (at.stack + 1 != shares.stacks.size()) return nullptr;
  const auto lens = lens_of(context, place);
  if (!lens || at.level >= lens->rows() || at.position >= lens->positions()) return nullptr;
  return context.derived
      .later<std::vector<TokenCandidate>>(
          DerivedKey("why/words near", {place.trace->generation(), place.batch, at.level, at.position}),
          [lens, at](const CancelToken&) -> Result<std::vector<TokenCandidate>> {
            std::vector<TokenCandidate> words = ranked_tokens(lens->logits(at.level, at.position), 1, kWordsNear);
            words.resize(std::min(words.size(), kWordsNear));
            return words;
          })
      .value;
}

std::shared_ptr<const LogitDifference> difference_of(const Context& context, const Place& place, std::int32_t word,
                                                     std::int32_t over, std::string* error) {
  return taken(context.derived.later<LogitDifference>(DerivedKey("why/difference", {place.key(), word, over}),
                                                      [place, word, over](const CancelToken& cancel) {
                                                        return logit_difference(*place.trace, place.batch, place.position, word,
                                                                                over, cancel);
                                                      }),
               error);
}

std::vector<std::size_t> largest_heads(const LogitDifference& difference, std::size_t most) {
  std::vector<std::size_t> heads;
  for (std::size_t i = 0; i < difference.parts.size(); ++i)
    if (difference.parts[i].kind == LogitContributions::Kind::head) heads.push_back(i);
  sort_stably(heads, [&](std::size_t a, std::size_t b) {
    return std::abs(difference.parts[a].logit) > std::abs(difference.parts[b].logit);
  });
  heads.resize(std::min(heads.size(), most));
  return heads;
}

std::shared_ptr<const WithoutHeads> without_heads_of(const Context& context, const Place& place,
                                                     const std::shared_ptr<const LogitDifference>& difference, std::int32_t word,
                                                     std::int32_t over) {
  return context.derived
      .later<WithoutHeads>(DerivedKey("why/without", {place.key(), word, over}),
                           [place, difference, word, over](const CancelToken& cancel) -> Result<WithoutHeads> {
                             HL_ASSIGN(const auto backend, backend_beside());
                             Document document = place.trace->document();
                             const auto batch = static_cast<std::size_t>(place.batch);
                             document.texts = {document.texts[batch]};
                             if (!document.targets.empty()) document.targets = {document.targets[batch]};
                             WithoutHeads made;
                             made.parts = largest_heads(*difference, kMostRemoved);
                             for (const std::size_t i : made.parts) {
                               const LogitDifference::Part& part = difference->parts[i];
                               HL_ASSIGN(const ModelAddress at,
                                         address_from_text(part.place + "head." + std::to_string(part.head)));
                               HL_ASSIGN(const auto trace, run(without_head(document, at, false), *backend, cancel));
                               HL_ASSIGN(const TokenOutlook of_word, token_outlook(*trace, place.position, word));
                               HL_ASSIGN(const TokenOutlook of_other, token_outlook(*trace, place.position, over));
                               made.differences.push_back(of_word.logit - of_other.logit);
                             }
                             return made;
                           })
      .value;
}

std::shared_ptr<const std::vector<float>> heads_of_edge(const Context& context, const Place& place,
                                                        const InformationShares& shares, const InformationRoutes::Edge& edge) {
  const auto kept = shares_of(context, place, nullptr);
  if (kept.get() != &shares) return nullptr;
  return context.derived
      .later<std::vector<float>>(
          DerivedKey("why/edge", {place.trace->generation(), place.batch, edge.attention, edge.query, edge.key}),
          [kept, trace = place.trace, batch = place.batch, edge](const CancelToken& cancel) {
            return edge_by_head(*trace, *kept, edge.attention, batch, edge.query, edge.key, cancel);
          })
      .value;
}

std::shared_ptr<const HeadComposition> composition_of(const Context& context, const Place& place, std::string* error,
                                                      const std::shared_ptr<Progress>& progress) {
  // Of a stored model it is the same for every text.
  const auto stored = place.trace->stored_model();
  const bool same = stored && place.trace->document().matrices.empty();
  DerivedKey key("why/composition", {same ? std::uint64_t{0} : place.trace->generation()});
  if (same) key.of(stored);
  return taken(context.derived.later<HeadComposition>(
                   key,
                   [trace = place.trace, progress](const CancelToken& cancel) -> Result<HeadComposition> {
                     HL_ASSIGN(const auto backend, backend_beside());
                     return head_composition(*trace, *backend, cancel, counted_in(progress));
                   }),
               error);
}

HeadComposition::Kind composition_kind(const Context& context) {
  const std::string& kind = state_of(context).composes;
  if (kind == "queries") return HeadComposition::Kind::queries;
  return kind == "values" ? HeadComposition::Kind::values : HeadComposition::Kind::keys;
}

Asked asked_in(const Context& context, const Place& place, const Words* words) {
  Asked choice;
  if (!words || words->best.empty()) return choice;
  const auto found = [&](const std::string& piece) {
    const std::int32_t token = piece.empty() ? -1 : place.tokenizer().vocabulary().find(piece);
    return static_cast<std::size_t>(token) < words->scores.size() ? token : -1;
  };
  choice.word = found(state_of(context).word);
  if (choice.word < 0) choice.word = words->best.front().token;
  choice.over = found(state_of(context).over);
  // Two names of the sentence can be exchanged in it.
  if (choice.over < 0 && state_of(context).page == "patching") choice.over = other_in_text(place, *words, choice.word);
  if (choice.over < 0 || choice.over == choice.word)
    for (const TokenCandidate& one : words->best)
      if (one.token != choice.word) {
        choice.over = one.token;
        break;
      }
  return choice;
}

ShownRoutes shown_routes(const Context& context, const Place& place, const InformationShares& shares) {
  const State& view = state_of(context);
  ShownRoutes shown;
  shown.routes = information_routes(shares, last_vector(shares, place.position), view.threshold, view.without_first);
  if (view.level >= 0) {
    for (std::size_t i = 0; i < shown.routes.vectors.size(); ++i) {
      const RouteVector& at = shown.routes.vectors[i].at;
      if (at.level == view.level && column_of(place, shares, at) == view.at) shown.vector = static_cast<std::int64_t>(i);
    }
    if (shown.vector >= 0) return shown;
  }
  for (std::size_t i = 0; i < shown.routes.edges.size() && view.layer >= 0; ++i) {
    const InformationRoutes::Edge& edge = shown.routes.edges[i];
    const InformationShares::Attention& attention = shares.attentions[edge.attention];
    if (attention.layer == view.layer && attention.is_cross() == view.cross && edge.query == view.query && edge.key == view.key)
      shown.edge = static_cast<std::int64_t>(i);
  }
  // The largest near the answer, and not from the first token, where heads look when they look nowhere.
  const std::int64_t half = shares.stacks.back().layers / 2;
  for (std::size_t i = 0; i < shown.routes.edges.size() && shown.edge < 0; ++i) {
    const InformationRoutes::Edge& edge = shown.routes.edges[i];
    if (edge.key != 0 && edge.to.stack + 1 == shares.stacks.size() && edge.to.level > half)
      shown.edge = static_cast<std::int64_t>(i);
  }
  if (shown.edge < 0 && !shown.routes.edges.empty()) shown.edge = 0;
  return shown;
}

std::int64_t column_of(const Place& place, const InformationShares& shares, const RouteVector& at) {
  if (shares.stacks.size() < 2 || at.stack == 0) return at.position;
  return static_cast<std::int64_t>(source_of(place).tokens.size()) + at.position;
}

std::string label_of(const Place& place, const InformationShares& shares, const RouteVector& at) {
  const bool source = shares.stacks.size() > 1 && at.stack == 0;
  return (source ? source_of(place) : place.sentence()).labels[static_cast<std::size_t>(at.position)];
}

std::string vector_words(const Place& place, const InformationShares& shares, const RouteVector& at) {
  const std::string label = label_of(place, shares, at);
  if (at.level == 0) return fill(tr("the embedding of {}"), {label});
  return at.level == 1 ? fill(tr("{} after 1 layer"), {label})
                       : fill(tr("{} after {} layers"), {label, std::to_string(at.level)});
}

figures::RouteGraphInput graph_input(const Context& context, const Place& place, const InformationShares& shares,
                                     const ShownRoutes& shown, const Words* words) {
  figures::RouteGraphInput input;
  const bool two = shares.stacks.size() > 1;
  if (two) {
    input.labels = source_of(place).labels;
    input.sources = static_cast<std::int64_t>(input.labels.size());
    input.source_levels = shares.stacks.front().layers;
  }
  input.levels = shares.stacks.back().layers;
  for (const std::string& label : place.sentence().labels) input.labels.push_back(label);
  for (const InformationRoutes::Vector& one : shown.routes.vectors) {
    float others = 0;  // what comes from other tokens
    for (const InformationShares::Attention& attention : shares.attentions) {
      if (attention.stack != one.at.stack || attention.layer + 1 != one.at.level) continue;
      for (std::int64_t key = 0; key < attention.keys; ++key)
        if (attention.is_cross() || key != one.at.position) others += attention.share(one.at.position, key);
    }
    input.vectors.push_back({column_of(place, shares, one.at), one.at.level, one.goes_down, 1 - others * (1 - one.feed_forward)});
  }
  for (const InformationRoutes::Edge& edge : shown.routes.edges)
    input.edges.push_back(
        {column_of(place, shares, edge.from), edge.from.level, column_of(place, shares, edge.to), edge.to.level, edge.share});
  input.chosen_edge = shown.edge;
  input.chosen_vector = shown.vector;
  input.verticals = state_of(context).verticals;
  if (const Asked choice = asked_in(context, place, words); choice.word >= 0) {
    const double logs = log_probability(words->scores, choice.word);
    input.answer = place.word(choice.word) + " " + figures::percent(std::exp(logs));
  }
  return input;
}

figures::RingedMapInput ringed_input(const Context& context, const Place& place, const InformationShares& shares,
                                     const InformationRoutes::Edge& edge, std::int64_t head) {
  figures::RingedMapInput input;
  const InformationShares::Attention& attention = shares.attentions[edge.attention];
  const AttentionSite* const site = find_site(*place.trace, attention.prefix);
  if (!site) return input;
  const auto labels_of = [&](bool targets) {
    return (targets ? place.trace->targets() : place.trace->texts())[static_cast<std::size_t>(place.batch)].labels;
  };
  // Of a long text the part around the cell.
  static constexpr std::int64_t kMost = 24;
  const auto part = [](std::int64_t count, std::int64_t at) {
    const std::int64_t shown = std::min(count, kMost);
    return std::pair(std::clamp<std::int64_t>(at - shown / 2, 0, count - shown), shown);
  };
  const auto [row, rows] = part(attention.queries, edge.query);
  const auto [column, columns] = part(attention.keys, edge.key);
  const Trace::Tile tile{place.batch, head, row, rows, column, columns};
  const auto answer = context.derived.now<Tensor>(
      DerivedKey("why/map", {place.trace->generation(), attention.prefix, place.batch, head, row, column}),
      [&](const CancelToken&) -> Result<Tensor> {
        HL_ASSIGN(const Tensor cells, place.trace->tile(place.trace->name_at(attention.prefix, Role::weights), tile));
        return cells.as(DType::f32).compact();
      });
  if (!answer) return input;
  input.weights = *answer.value;
  const std::vector<std::string> of_rows = labels_of(site->rows_are_targets), of_columns = labels_of(site->columns_are_targets);
  input.rows.assign(of_rows.begin() + row, of_rows.begin() + row + rows);
  input.columns.assign(of_columns.begin() + column, of_columns.begin() + column + columns);
  input.row = edge.query - row;
  input.column = edge.key - column;
  Tensor mask(DType::u8, {rows, columns}, {"query", "key"}, true);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      mask.data<std::uint8_t>()[i * columns + j] =
          site->mask.mask.empty() || masks::allows(site->mask.mask, place.batch, head, row + i, column + j) ? 1 : 0;
  input.mask = std::move(mask);
  input.colormap = context.view.colormap;
  input.key = DerivedKey("why/map", {place.trace->generation(), attention.prefix, place.batch, head, row, column}).hash();
  return input;
}

}  // namespace headlight::views::why
