#include "app/panels/next_word/next_word_data.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/panels/shared/attention_choice.h"
#include "app/text/error_words.h"
#include "engine/backends/backends.h"
#include "engine/document/stored_model.h"
#include "engine/insight/residual_stream.h"
#include "engine/pipeline/run.h"

namespace headlight::panels {
namespace {

constexpr std::size_t kListed = 3;  // candidates kept of every position

DerivedKey key_of(DerivedKey::Tag tag, const Trace& trace, std::int64_t batch) {
  return DerivedKey(tag, {trace.generation(), batch});
}

// The backend that computes beside the trace's own: the CPU, whatever device made the trace.
Result<std::shared_ptr<backends::Backend>> own_backend() { return backends::open("cpu"); }

TokenIds ids_of(const Sentence& sentence, std::int64_t count) {
  TokenIds ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back(sentence.tokens[static_cast<std::size_t>(i)].id);
  return ids;
}

using Shared = std::shared_ptr<SharedGrowingText>;

// A derived value is constant; what it points to is guarded by its mutex.
std::shared_ptr<const Shared> growing_of(const Context& context, const NextWordPlace& place, std::string* error) {
  const auto trace = place.trace;
  const std::int64_t batch = place.batch;
  const auto made = context.derived.later<Shared>(
      key_of("next word/growing", *trace, batch), [trace, batch](const CancelToken&) -> Result<Shared> {
        TokenIds source;
        if (!trace->targets().empty()) {
          const Sentence& text = trace->texts()[static_cast<std::size_t>(batch)];
          source = ids_of(text, static_cast<std::int64_t>(text.tokens.size()));
        }
        HL_ASSIGN(auto backend, own_backend());
        HL_ASSIGN(GrowingText text, GrowingText::open(trace->document(), std::move(source), std::move(backend)));
        auto shared = std::make_shared<SharedGrowingText>();
        shared->text.emplace(std::move(text));
        return shared;
      });
  if (made.error && error) *error = spoken_in_window(*made.error);
  return made.value;
}

std::string words_of(const NextWordPlace& place, const TokenIds& ids) {
  std::string words;
  for (const std::int32_t id : ids) words += place.word(id);
  return words;
}

DerivedKey key_with(DerivedKey key, const TokenIds& ids) {
  for (const std::int32_t id : ids) key.add(id);
  return key;
}

}  // namespace

TokenIds NextWordPlace::ids() const { return ids_of(sentence(), position + 1); }

DerivedKey NextWordPlace::key() const { return DerivedKey("next word/place", {trace->generation(), batch, position}); }

namespace {

bool has_logits(const Trace& trace) {
  return std::any_of(trace.steps().begin(), trace.steps().end(), [](const Step& step) { return step.role == Role::logits; });
}

// The first [MASK] of the sentence; the last token where there is none.
std::int64_t first_mask(const NextWordPlace& place) {
  const std::int32_t mask = place.tokenizer().special(tokenizers::Role::mask);
  const auto& tokens = place.sentence().tokens;
  const auto at = std::find_if(tokens.begin(), tokens.end(), [mask](const auto& token) { return token.id == mask; });
  return at == tokens.end() ? place.tokens() - 1 : at - tokens.begin();
}

}  // namespace

bool NextWordPlace::masked() const {
  return sentence().tokens[static_cast<std::size_t>(position)].id == tokenizer().special(tokenizers::Role::mask);
}

std::optional<NextWordPlace> next_word_place(const Context& context) {
  if (!context.trace) return {};
  NextWordPlace place;
  place.trace = context.trace;
  if (!predicts_next(*context.trace)) {
    place.fills = has_logits(*context.trace) && fills_in(context.trace->stored_model().get());
    if (!place.fills) return {};
  }
  place.batch = std::clamp<std::int64_t>(context.view.batch, 0, static_cast<std::int64_t>(place.trace->texts().size()) - 1);
  if (place.tokens() == 0) return {};
  const std::int64_t wanted = context.view.next_word.position, last = place.tokens() - 1;
  const bool chosen = wanted >= 0 && wanted <= last;
  place.position = chosen ? wanted : place.fills ? first_mask(place) : last;
  return place;
}

SamplingOptions sampling_of(const NextWordView& view) { return {view.sample ? view.temperature : 0, view.top_k, view.top_p}; }

std::shared_ptr<const Predictions> predictions_of(const Context& context, const NextWordPlace& place) {
  const auto trace = place.trace;
  const std::int64_t batch = place.batch;
  return context.derived
      .later<Predictions>(key_of("next word/predictions", *trace, batch),
                          [trace, batch](const CancelToken& cancel) { return predictions(*trace, batch, kListed, cancel); })
      .value;
}

std::shared_ptr<const RankedScores> ranked_of(const Context& context, const NextWordPlace& place) {
  return context.derived
      .later<RankedScores>(DerivedKey("next word/ranked", {place.key()}),
                           [place](const CancelToken&) -> Result<RankedScores> {
                             RankedScores ranked;
                             HL_ASSIGN(ranked.scores, scores_behind(*place.trace, place.batch, place.position));
                             ranked.candidates = ranked_tokens(ranked.scores, 1, ranked.scores.size());
                             return ranked;
                           })
      .value;
}

std::int64_t shown_layer(const Context& context, const LogitLens& lens) {
  const std::int64_t layer = context.view.next_word.layer;
  return layer >= 0 && layer + 1 < lens.rows() ? layer : -1;
}

std::shared_ptr<const RankedScores> shown_ranked_of(const Context& context, const NextWordPlace& place) {
  if (context.view.next_word.layer < 0) return ranked_of(context, place);
  const auto lens = lens_of(context, place);
  if (!lens) return nullptr;
  const std::int64_t layer = shown_layer(context, *lens);
  if (layer < 0) return ranked_of(context, place);
  return context.derived
      .later<RankedScores>(DerivedKey("next word/ranked of a layer", {place.key(), layer}),
                           [lens, layer, position = place.position](const CancelToken& cancel) -> Result<RankedScores> {
                             RankedScores ranked;
                             const auto tokens = static_cast<std::int32_t>(lens->vocabulary());
                             for (std::int32_t token = 0; token < tokens; ++token) {
                               if (token % 1024 == 0 && cancel.cancelled()) return cancelled();
                               ranked.scores.push_back(lens->logit(layer, position, token));
                             }
                             ranked.candidates = ranked_tokens(ranked.scores, 1, ranked.scores.size());
                             return ranked;
                           })
      .value;
}

DrawnShares drawn_of(const RankedScores& ranked, const SamplingOptions& options, std::size_t listed) {
  // The order is the same at every temperature.
  std::vector<TokenCandidate> at = ranked.candidates;
  if (options.temperature > 0 && options.temperature != 1 && !at.empty()) {
    const double best = ranked.scores[static_cast<std::size_t>(at.front().token)];
    double sum = 0;
    for (TokenCandidate& one : at) {
      one.probability = std::exp((ranked.scores[static_cast<std::size_t>(one.token)] - best) / options.temperature);
      sum += one.probability;
    }
    for (TokenCandidate& one : at) one.probability /= sum;
  }
  DrawnShares drawn;
  drawn.allowed = tokens_allowed(at, options);
  double together = 0;
  for (std::size_t i = 0; i < drawn.allowed; ++i) together += at[i].probability;
  for (std::size_t i = 0; i < std::min(listed, at.size()); ++i) {
    drawn.shares.push_back(i < drawn.allowed ? at[i].probability / together : 0);
    drawn.listed_model += ranked.candidates[i].probability;
    drawn.listed_drawn += drawn.shares.back();
  }
  return drawn;
}

std::shared_ptr<const LogitLens> lens_of(const Context& context, const NextWordPlace& place) {
  const auto trace = place.trace;
  const std::int64_t batch = place.batch, tokens = place.tokens();
  return context.derived
      .later<LogitLens>(key_of("next word/lens", *trace, batch),
                        [trace, batch, tokens](const CancelToken& cancel) -> Result<LogitLens> {
                          HL_ASSIGN(const auto backend, own_backend());
                          return logit_lens(*trace, batch, tokens, *backend, cancel);
                        })
      .value;
}

namespace {

Result<HeadPushes> make_pushes(const NextWordPlace& place, std::int32_t token, bool cross, const CancelToken& cancel) {
  constexpr std::size_t kMost = 64;  // rows of weights that are read
  HL_ASSIGN(const LogitContributions shares, logit_contributions(*place.trace, place.batch, place.position, token, cancel));
  HeadPushes out;
  out.logit = shares.logit;
  for (const LogitContributions::Part& part : shares.parts) {
    const bool of_cross = part.place.ends_with("cross.");
    if (part.kind == LogitContributions::Kind::embedding) out.embedding += part.logit;
    if (part.kind == LogitContributions::Kind::feed_forward) out.feed_forward += part.logit;
    if (part.kind == LogitContributions::Kind::head && of_cross == cross)
      out.heads.push_back({part.place, part.layer, part.head, part.logit, {}});
    else if (part.kind != LogitContributions::Kind::embedding && part.kind != LogitContributions::Kind::feed_forward)
      out.others += part.logit;
  }
  std::stable_sort(out.heads.begin(), out.heads.end(),
                   [](const HeadPush& a, const HeadPush& b) { return std::abs(a.push) > std::abs(b.push); });
  for (std::size_t i = 0; i < std::min(kMost, out.heads.size()); ++i) {
    HeadPush& head = out.heads[i];
    HL_ASSIGN(const Tensor row,
              rows_of(*place.trace, place.trace->name_at(head.prefix, Role::weights), place.batch, head.head, place.position, 1));
    head.weights = as_doubles(row);
  }
  if (out.heads.size() > kMost) out.heads.resize(kMost);
  return out;
}

}  // namespace

std::shared_ptr<const HeadPushes> pushes_of(const Context& context, const NextWordPlace& place, std::int32_t token,
                                            std::string* error) {
  const bool cross = context.view.next_word.cross && !place.trace->targets().empty();
  const auto made = context.derived.later<HeadPushes>(
      DerivedKey("next word/pushes", {place.key(), token, cross}),
      [place, token, cross](const CancelToken& cancel) { return make_pushes(place, token, cross, cancel); });
  if (made.error && error) *error = spoken_in_window(*made.error);
  return made.value;
}

TokenIds continuation_ids(const NextWordPlace& place, const std::string& typed) {
  if (typed.empty()) return {};
  const auto first = static_cast<unsigned char>(typed.front());
  const bool word = std::isalnum(first) || first >= 0x80;
  const auto tokens = place.tokenizer().encode(word ? " " + typed : typed);
  TokenIds ids;
  if (tokens)
    for (const tokenizers::Token& token : *tokens) ids.push_back(token.id);
  return ids;
}

std::shared_ptr<const Continued> continued_of(const Context& context, const NextWordPlace& place, const TokenIds& ids,
                                              std::string* error) {
  if (ids.empty()) return nullptr;
  const DerivedKey key = key_with(DerivedKey("next word/continued", {place.key()}), ids);
  Continued begun{ids, words_of(place, ids), 0};
  if (ids.size() == 1) {  // the trace says it
    const auto ranked = ranked_of(context, place);
    if (!ranked) return nullptr;
    begun.log_probability = log_probability(ranked->scores, ids.front());
    return std::make_shared<const Continued>(std::move(begun));
  }
  const auto growing = growing_of(context, place, error);
  if (!growing) return nullptr;
  const auto made =
      context.derived.later<Continued>(key, [shared = *growing, place, begun](const CancelToken& cancel) -> Result<Continued> {
        const std::lock_guard lock(shared->mutex);
        HL_ASSIGN(const std::vector<double> logs, shared->text->log_probabilities(place.ids(), begun.tokens, cancel));
        Continued done = begun;
        for (const double one : logs) done.log_probability += one;
        return done;
      });
  if (made.error && error) *error = spoken_in_window(*made.error);
  return made.value;
}

std::int32_t tracked_token(const Context& context, const NextWordPlace& place, const RankedScores& ranked) {
  const std::int32_t pointed = context.transient ? context.transient->of<NextWordTransient>().pointed : -1;
  if (pointed >= 0 && static_cast<std::size_t>(pointed) < ranked.scores.size()) return pointed;
  const std::string& piece = context.view.next_word.tracked;
  const std::int32_t found = piece.empty() ? -1 : place.tokenizer().vocabulary().find(piece);
  if (found >= 0 && static_cast<std::size_t>(found) < ranked.scores.size()) return found;
  return ranked.candidates.empty() ? 0 : ranked.candidates.front().token;
}

Document continued_document(const Context& context, const NextWordPlace& place, const TokenIds& added) {
  const Sentence& sentence = place.sentence();
  const bool last = place.position + 1 == place.tokens();
  const auto end = static_cast<std::size_t>(sentence.tokens[static_cast<std::size_t>(place.position)].end);
  TokenIds all = place.ids();
  const std::string before = place.tokenizer().decode(all);
  all.insert(all.end(), added.begin(), added.end());
  const std::string whole = place.tokenizer().decode(all);
  // What the tokens add depends on what they stand behind: a first word has no space.
  std::string tail = whole.starts_with(before) ? whole.substr(before.size()) : place.tokenizer().decode(added);
  Document document = context.document;
  // An answer begins behind the frame, which the sentence has in it from then on.
  if (last && document.chat)
    if (const auto model = open_stored_model(document.model); model && (*model)->chat)
      if (const std::string& after = (*model)->chat->after; sentence.text.find(after) == std::string::npos) tail = after + tail;
  auto& texts = place.trace->targets().empty() ? document.texts : document.targets;
  const auto batch = static_cast<std::size_t>(place.batch);
  if (batch < texts.size()) texts[batch] = (last ? sentence.text : sentence.text.substr(0, end)) + tail;
  return document;
}

Document filled_document(const Context& context, const NextWordPlace& place, std::int32_t token) {
  const Sentence& sentence = place.sentence();
  const tokenizers::Token& there = sentence.tokens[static_cast<std::size_t>(place.position)];
  const auto begin = static_cast<std::size_t>(there.start), end = static_cast<std::size_t>(there.end);
  const bool space = begin < end && sentence.text[begin] == ' ';
  const bool mask = token == place.tokenizer().special(tokenizers::Role::mask);
  std::string words = mask ? (space ? " " : "") + place.tokenizer().piece(token) : place.tokenizer().decode({token});
  if (begin == 0 && words.starts_with(' ')) words.erase(0, 1);
  Document document = context.document;
  const auto batch = static_cast<std::size_t>(place.batch);
  if (batch >= document.texts.size()) return document;
  const std::string whole = sentence.text.substr(0, begin) + words + sentence.text.substr(end);
  if (document.targets.empty()) {
    document.texts[batch] = whole;
    return document;
  }
  // Both sentences of a pair, with a space between them.
  const std::size_t first = document.texts[batch].size(), second = document.targets[batch].size();
  if (begin > first)
    document.targets[batch] = whole.substr(first + 1);
  else
    document.texts[batch] = whole.substr(0, whole.size() - second - 1);
  return document;
}

void go_on_generating(const Context& context, const NextWordPlace& place, GeneratedWords& generated) {
  // An edit, another position or sentence: what was generated belongs to another text.
  if (generated.key != place.key()) generated = {place.key(), {}, 0, false, 0, {}};
  if (generated.words.size() >= generated.wanted || generated.ended) return;
  const auto stop = [&] { generated.wanted = generated.words.size(); };
  std::string error;
  const auto growing = growing_of(context, place, &error);
  if (!error.empty()) {
    generated.error = error;
    stop();
    return;
  }
  if (!growing) return;
  TokenIds text = place.ids();
  for (const GeneratedWords::Word& word : generated.words) text.push_back(word.token);
  GenerateOptions options;
  static_cast<SamplingOptions&>(options) = sampling_of(context.view.next_word);
  options.seed = static_cast<std::uint64_t>(context.view.next_word.seed);
  const std::size_t step = generated.words.size();
  const DerivedKey key = key_with(
      DerivedKey("next word/generated", {place.key(), options.temperature, options.top_k, options.top_p, options.seed}), text);
  const auto made = context.derived.later<Generated::Step>(
      key, [shared = *growing, text, options, step](const CancelToken& cancel) -> Result<Generated::Step> {
        const std::lock_guard lock(shared->mutex);
        HL_ASSIGN(const std::vector<double> scores, shared->text->scores_behind(text, cancel));
        return choose_token(scores, options, 0, step);
      });
  if (made.error) {
    generated.error = spoken_in_window(*made.error);
    stop();
    return;
  }
  if (!made) return;
  generated.words.push_back({made.value->token, made.value->chance});
  generated.ended = made.value->token == place.tokenizer().special(tokenizers::Role::end);
  if (context.frame_in) context.frame_in(0);
}

HeadRef shown_head(const Context& context, const NextWordPlace& place) {
  const Document& document = place.trace->document();
  const auto within = [](std::int64_t index, std::int64_t count) {
    return std::clamp<std::int64_t>(index, 0, std::max<std::int64_t>(0, count - 1));
  };
  return {within(context.view.layer, document.layers), within(context.view.head, document.projected ? document.heads : 1)};
}

std::shared_ptr<const std::vector<double>> attention_of_added(const Context& context, const NextWordPlace& place,
                                                              const TokenIds& added) {
  const HeadRef shown = shown_head(context, place);
  Document document = continued_document(context, place, added);
  const bool two = !place.trace->targets().empty();
  auto& texts = two ? document.targets : document.texts;
  const std::int64_t batch = place.batch, tokens = place.position + 1 + static_cast<std::int64_t>(added.size());
  texts = {texts[static_cast<std::size_t>(batch)]};
  if (two) document.texts = {document.texts[static_cast<std::size_t>(batch)]};
  const std::string step = std::string(two ? "decoder." : "") + "layer." + std::to_string(shown.layer) + ".weights";
  const DerivedKey key = key_with(DerivedKey("next word/looks", {place.key(), step, shown.head}), added);
  return context.derived
      .later<std::vector<double>>(
          key,
          [document, step, head = shown.head, tokens, two](const CancelToken& cancel) -> Result<std::vector<double>> {
            HL_ASSIGN(const auto backend, own_backend());
            HL_ASSIGN(const auto trace, run(document, *backend, cancel));
            const Sentence& sentence = two ? trace->targets().front() : trace->texts().front();
            // A text is not always cut into the tokens that it was made of.
            if (static_cast<std::int64_t>(sentence.tokens.size()) != tokens)
              return not_found("the words are cut otherwise as a text").at(step);
            HL_ASSIGN(const Tensor row, rows_of(*trace, step, 0, head, tokens - 1, 1));
            std::vector<double> weights = as_doubles(row);
            weights.resize(static_cast<std::size_t>(tokens));
            return weights;
          })
      .value;
}

}  // namespace headlight::panels
