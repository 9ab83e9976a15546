#include "app/views/scores/data.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "engine/core/sorting.h"
#include "engine/insight/word_lists.h"

namespace headlight::views::scored {
namespace {

constexpr std::int64_t kWithinAFrame = 1 << 20;  // products; more are made in the background
constexpr float kLeastPitch = 14, kGoodPitch = 17, kMostPitch = 26;

DerivedKey score_key(DerivedKey::Tag tag, const Context& context, const Asked& state) {
  return DerivedKey(tag, {context.trace->generation(), state.choice.prefix(), state.choice.batch, state.choice.head, state.query,
                          state.relation, state.masked});
}

std::int64_t token_count(const Trace& trace, bool of_targets, std::int64_t batch) {
  const auto sentences = of_targets ? trace.targets() : trace.texts();
  return batch < static_cast<std::int64_t>(sentences.size())
             ? static_cast<std::int64_t>(sentences[static_cast<std::size_t>(batch)].tokens.size())
             : 0;
}

// The pinned query, else that of the head's strongest cell.
std::int64_t asking_query(const Context& context, const AttentionChoice& choice, std::int64_t queries) {
  const std::int64_t pinned = context.view.pinned_row;
  if (pinned >= 0 && pinned < queries) return pinned;
  return std::min(strongest_query(context, choice), queries - 1);
}

// Keys that have a line of their own: all, or those that the model's own score weighs most, in the order of the text.
std::vector<std::int64_t> keys_shown(const Asked& state, std::int64_t most) {
  std::vector<std::int64_t> keys(static_cast<std::size_t>(state.keys));
  std::iota(keys.begin(), keys.end(), 0);
  if (state.keys <= most) return keys;
  const ScoreRow* own = &state.rows.back();
  for (const ScoreRow& row : state.rows)
    if (row.id == state.asked->in_use) own = &row;
  sort_stably(keys, [&](std::int64_t a, std::int64_t b) {
    return own->weights[static_cast<std::size_t>(a)] > own->weights[static_cast<std::size_t>(b)];
  });
  keys.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, most - 1)));
  sort_stably(keys);
  return keys;
}

void lay_out_lines(figures::ScoreCardsInput& input, const Context& context, const Asked& state, float width, float height) {
  const auto pitch_of = [&] {
    return (height - figures::score_cards_frame(input)) /
           static_cast<float>(std::max<std::int64_t>(1, figures::score_lines(input, state.keys)));
  };
  // First scores and weights share lines, then the heads of the cards become short.
  float pitch = pitch_of();
  if (pitch < kGoodPitch) {
    input.beside = figures::score_cards_fit_beside(input, width, context.measure);
    pitch = pitch_of();
  }
  if (pitch < kGoodPitch) {
    input.low = true;
    pitch = pitch_of();
  }
  std::int64_t most = state.keys;
  if (pitch < kLeastPitch) {
    const float lines = (height - figures::score_cards_frame(input)) / kLeastPitch / (input.beside ? 1 : 2);
    most = std::max<std::int64_t>(4, static_cast<std::int64_t>(lines));
    pitch = kLeastPitch;
  }
  input.pitch = std::clamp(pitch, kLeastPitch, kMostPitch);
  input.shown = keys_shown(state, most);
}

// As many sentences as the line has room for, the most important ones first.
std::string words_above(const Context& context, const Asked& state, float width) {
  std::vector<std::string> sentences = {tr("Six ways to score, one softmax."),
                                        state.relation == QkvRelation::one ? tr("s is its query, h the query of each token.")
                                                                           : tr("s is its query, h the key of each token.")};
  if (!state.choice.site->mask.mask.empty())
    sentences.emplace_back(state.masked ? tr("The model's mask counts.") : tr("The model's mask is off here."));
  sentences.push_back(fill(tr("Dashed: weights of its own, random, seed {}."), {std::to_string(state.asked->question.seed)}));
  if (state.asked->random) sentences.emplace_back(tr("The model's weights are random, too."));
  if (state.asked->multiplied != 1)
    sentences.push_back(fill(tr("The model multiplies its scores by {}."), {short_number(state.asked->multiplied)}));
  if (state.asked->biased) sentences.emplace_back(tr("What positions add to its scores is not counted."));
  std::string words;
  for (const std::string& sentence : sentences) {
    const std::string more = words + (words.empty() ? "" : " ") + sentence;
    if (context.measure.width(more, 13, figures::Font::words) > width) break;
    words = more;
  }
  return words;
}

figures::ScoreCardsInput cards_of(const Context& context, const Asked& state) {
  figures::ScoreCardsInput input;
  input.asker = state.query_labels[static_cast<std::size_t>(state.query)];
  input.question = question_of(context, state);
  input.labels = state.key_labels;
  input.visible = state.asked->question.visible;
  // Without its mask these are other weights than the model's.
  if (context.view.own.of<State>().masked || state.choice.site->mask.mask.empty()) input.in_use = state.asked->in_use;
  input.d = static_cast<std::int64_t>(state.asked->question.s.size());
  input.factor = state.factor;
  input.model_factor = state.asked->model_factor;
  input.own_factor = state.own_factor;
  input.seed = state.asked->question.seed;
  const Hot& hot = context.hover.now;
  input.hot = hovered_token(*context.trace, state.choice.site->columns_are_targets, state.choice.batch, hot);
  if (input.hot < 0 && hot.row == state.query) input.hot = hot.column;
  return input;
}

// The share of the weights on these keys.
double share_on(const std::vector<double>& weights, const std::vector<std::int64_t>& keys) {
  double sum = 0;
  for (const std::int64_t key : keys)
    if (key >= 0 && key < static_cast<std::int64_t>(weights.size())) sum += weights[static_cast<std::size_t>(key)];
  return sum;
}

// The tokens of the adjectives right before the query's noun; empty: it is none that the lists know, or has none.
std::vector<std::int64_t> adjectives_of(const Context& context, const Sentence& sentence, std::int64_t query) {
  const auto lists =
      context.derived.now<WordLists>(DerivedKey("scores/word lists"), [](const CancelToken&) { return WordLists::open({}); });
  if (!lists.value) return {};
  for (const WordLists::Described& one : lists.value->described_nouns(sentence.text, sentence.tokens))
    if (one.noun == query) return one.adjectives;
  return {};
}

}  // namespace

std::string question_of(const Context& context, const Asked& state) {
  const ScoreRow* row = &state.rows.back();
  for (const ScoreRow& one : state.rows)
    if (one.id == state.asked->in_use) row = &one;
  const std::vector<double>& weights = row->weights;
  std::int64_t seen = 0;
  for (std::size_t key = 0; key < weights.size(); ++key) seen += state.asked->question.sees(key) ? 1 : 0;
  if (seen < 2) return {};
  const std::int64_t top = std::max_element(weights.begin(), weights.end()) - weights.begin();
  const double most = weights[static_cast<std::size_t>(top)];
  const std::int64_t query = state.query;
  if (!state.one_text) return fill(tr("what does {} tell me?"), {state.key_labels[static_cast<std::size_t>(top)]});
  const auto sentences = state.choice.site->rows_are_targets ? context.trace->targets() : context.trace->texts();
  const Sentence& sentence = sentences[static_cast<std::size_t>(state.choice.batch)];
  const std::vector<std::int64_t> adjectives = adjectives_of(context, sentence, query);
  const bool on_them = std::find(adjectives.begin(), adjectives.end(), top) != adjectives.end();
  if (on_them && share_on(weights, adjectives) >= 0.3) return tr("any adjectives in front of me?");
  // A row that is nearly level prefers nobody.
  if (most < 1.5 / static_cast<double>(seen)) return tr("what is here altogether?");
  const auto id = [&](std::int64_t at) { return sentence.tokens[static_cast<std::size_t>(at)].id; };
  if (top == query) return tr("what am I myself?");
  if (id(top) == id(query)) return tr("where else do I stand?");
  if (top > 0 && top - 1 != query && id(top - 1) == id(query)) return tr("what came behind me the last time?");
  if (top == query - 1) return tr("who stands right before me?");
  if (top == query + 1) return tr("who stands right behind me?");
  if (top == 0) return tr("who begins the text?");
  return fill(tr("what does {} tell me?"), {state.key_labels[static_cast<std::size_t>(top)]});
}

Asked asked_data(const Context& context, const State& view, const AttentionChoice& choice) {
  Asked state;
  state.choice = choice;
  state.masked = view.masked;
  state.own_factor = view.factor > 0;
  const Trace& trace = *context.trace;
  const AttentionSite& site = *choice.site;
  state.one_text = site.rows_are_targets == site.columns_are_targets;
  const std::int64_t queries = token_count(trace, site.rows_are_targets, choice.batch);
  state.keys = token_count(trace, site.columns_are_targets, choice.batch);
  if (queries == 0 || state.keys == 0) return state;
  state.query = asking_query(context, choice, queries);
  state.relation = relation_named(view.relation);
  if (!trace.document().projected) state.relation = state.one_text ? QkvRelation::one : QkvRelation::shared;
  // What a model's own switch makes one cannot be told apart any more.
  QkvRelation own = relation_named(trace.document().qkv);
  if (own == QkvRelation::one && !state.one_text) own = QkvRelation::shared;
  if (state.relation == QkvRelation::one && !state.one_text) state.relation = own;
  state.relation = std::min(state.relation, own);
  state.query_labels = row_labels(context, choice);
  state.key_labels = column_labels(context, choice);
  state.key_labels.resize(static_cast<std::size_t>(state.keys));

  const AskedHead at{choice.prefix(), choice.batch, choice.head, state.query};
  AskedOptions options;
  options.relation = state.relation;
  options.masked = view.masked;
  const auto held = context.trace;
  const std::function<Result<AskedScores>(const CancelToken&)> ask = [held, at, options](const CancelToken& cancel) {
    return asked_scores(*held, at, options, cancel);
  };
  const DerivedKey key = score_key("scores/asked", context, state);
  const bool many = (state.keys + 2 * site.d_k) * site.d_k * site.d_k > kWithinAFrame;
  const auto asked = many ? context.derived.later<AskedScores>(key, ask) : context.derived.now<AskedScores>(key, ask);
  state.error = asked.error;
  state.asked = asked.value;
  if (!state.asked) return state;
  const double factor = view.factor;
  state.factor = factor > 0 ? factor : state.asked->model_factor;
  state.rows = state.asked->rows;
  if (factor > 0)
    for (ScoreRow& row : state.rows)
      if (row.id == "scaled_dot") row = scaled_row(*state.asked, factor);
  state.curves =
      context.derived
          .later<ScaleCurves>(score_key("scores/curves", context, state),
                              [held, at, options](const CancelToken& cancel) { return scale_curves(*held, at, options, cancel); })
          .value;
  state.maps = context.derived
                   .later<std::vector<RelatedMap>>(
                       score_key("scores/maps", context, state),
                       [held, at, options](const CancelToken& cancel) { return related_maps(*held, at, options, cancel); })
                   .value;
  return state;
}

figures::ScoreCardsInput cards_input(const Context& context, const Asked& state, float width, float height) {
  figures::ScoreCardsInput input = cards_of(context, state);
  input.rows = state.rows;
  input.words = words_above(context, state, width);
  lay_out_lines(input, context, state, width, height);
  return input;
}

figures::ScoreCardsInput scaled_card_input(const Context& context, const Asked& state, float width, float height) {
  figures::ScoreCardsInput input = cards_of(context, state);
  for (const ScoreRow& row : state.rows)
    if (row.id == "scaled_dot") input.rows = {row};
  lay_out_lines(input, context, state, width, height);
  return input;
}

figures::ScalePlotInput scale_input(const Asked& state) {
  figures::ScalePlotInput input;
  const ScoreQuestion& question = state.asked->question;
  const auto norm = [&](double factor) {
    return jacobian_norms(state.asked->dots, question.visible, question.temperature, {factor}).front();
  };
  input.factors = scale_factors();
  input.norms = jacobian_norms(state.asked->dots, question.visible, question.temperature, input.factors);
  input.d = static_cast<std::int64_t>(question.s.size());
  input.root = 1 / std::sqrt(static_cast<double>(input.d));
  input.factor = state.factor;
  input.norm = norm(state.factor);
  input.norm_at_one = norm(1);
  if (state.curves) {
    input.others.assign(state.curves->norms.begin() + 1, state.curves->norms.end());
    input.others_words = state.curves->all ? std::string(tr("grey: the other queries"))
                                           : fill(tr("grey: {} of the other queries"), {std::to_string(input.others.size())});
  }
  return input;
}

figures::RelationsInput relations_input(const Context& context, const Asked& state) {
  figures::RelationsInput input;
  if (!state.maps) return input;
  input.maps = *state.maps;
  const std::string& asker = state.query_labels[static_cast<std::size_t>(state.query)];
  std::string other = asker;
  const ScoreRow& own = state.rows.back();
  double most = -1;
  for (std::size_t key = 0; key < own.weights.size(); ++key)
    if (static_cast<std::int64_t>(key) != state.query && own.weights[key] > most) {
      most = own.weights[key];
      other = state.key_labels[key];
    }
  const bool projected = context.trace->document().projected;
  for (const RelatedMap& map : input.maps) {
    const bool one = map.relation == QkvRelation::one, shared = map.relation == QkvRelation::shared;
    input.names.emplace_back(one ? "Q = K = V" : shared ? "K = V" : tr("all different"));
    if (!map.possible)
      input.meanings.emplace_back(!projected ? tr("not here: this model has no maps")
                                  : context.trace->document().qkv != "separate" && !one
                                      ? tr("not here: this model's projections are one")
                                      : tr("not here: queries and keys are of two texts"));
    else if (one)
      input.meanings.push_back(fill(tr("scores are the same both ways: {} to {} as {} to {}"), {asker, other, other, asker}));
    else
      input.meanings.emplace_back(shared ? tr("what a word is matched by is also what it hands on")
                                         : tr("a word asks for one thing, is matched by a second, hands on a third"));
  }
  input.given_words = fill(tr("{} takes away"), {asker});
  input.queries = state.query_labels;
  input.keys = state.key_labels;
  input.chosen = state.relation;
  input.from_width = context.trace->document().d_model;
  input.to_width = projected ? state.choice.site->d_k : 0;
  const Hot& hot = context.hover.now;
  input.hot_query = hot.row;
  input.hot_key = hot.column;
  input.key = score_key("scores/pictures", context, state).hash();
  return input;
}

std::string told_score(const Asked& state, const ScoreRow& row, std::int64_t key) {
  const auto at = static_cast<std::size_t>(key);
  const ScoreQuestion& q = state.asked->question;
  const std::string score = short_number(row.scores[at]), dot = short_number(state.asked->dots[at]);
  const auto length = [](const std::vector<double>& x) {
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
  };
  const std::string d = std::to_string(q.s.size());
  if (row.id == "cosine")
    return fill("s·h / (|s| |h|) = {} / ({} × {}) = {}", {dot, short_number(length(q.s)), short_number(length(q.h[at])), score});
  if (row.id == "additive")
    return fill("v·tanh(W [s; h]) = {},  W [{}, {}], v [{}]", {score, d, std::to_string(2 * q.s.size()), d});
  if (row.id == "location")
    return fill(tr("row {} of W [{}, {}] times s = {}: the key is not read"),
                {std::to_string(key), std::to_string(kMostPlaces), d, score});
  if (row.id == "general") return fill("sᵀ W h = {},  W [{}, {}]", {score, d, d});
  if (row.id == "dot") return fill(tr("s·h, the sum of {} products = {}"), {d, score});
  return fill("s·h × {} = {} × {} = {}", {short_number(state.factor), dot, short_number(state.factor), score});
}

std::string told_weight(const Asked& state, const ScoreRow& row, std::int64_t key) {
  const auto at = static_cast<std::size_t>(key);
  const ScoreQuestion& q = state.asked->question;
  double largest = -1e300, sum = 0;
  for (std::size_t j = 0; j < row.scores.size(); ++j)
    if (q.sees(j)) largest = std::max(largest, row.scores[j]);
  for (std::size_t j = 0; j < row.scores.size(); ++j)
    if (q.sees(j)) sum += std::exp((row.scores[j] - largest) / q.temperature);
  const std::string apart = short_number(row.scores[at]) + " - " + short_number(largest);
  const std::string exponent = q.temperature == 1 ? apart : "(" + apart + ") / " + short_number(q.temperature);
  return fill(tr("e^({}) / {} = {}; the largest score is taken off first"),
              {exponent, short_number(sum), short_number(row.weights[at])});
}

}  // namespace headlight::views::scored
