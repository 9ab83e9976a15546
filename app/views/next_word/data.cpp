#include "app/views/next_word/data.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/text/error_words.h"
#include "app/views/base/attention_choice.h"
#include "engine/backends/backends.h"
#include "engine/core/sorting.h"
#include "engine/document/stored_model.h"
#include "engine/insight/residual_stream.h"
#include "engine/pipeline/run.h"

namespace headlight::views::next_word {
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

using SharedText = std::shared_ptr<SharedGrowingText>;

// A derived value is constant; what it points to is guarded by its mutex.
std::shared_ptr<const SharedText> growing_of(const Context& context, const Place& place, std::string* error) {
  const auto trace = place.trace;
  const std::int64_t batch = place.batch;
  const auto made = context.derived.later<SharedText>(
      key_of("next word/growing", *trace, batch), [trace, batch](const CancelToken&) -> Result<SharedText> {
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

std::string words_of(const Place& place, const TokenIds& ids) {
  std::string words;
  for (const std::int32_t id : ids) words += place.word(id);
  return words;
}

DerivedKey key_with(DerivedKey key, const TokenIds& ids) {
  for (const std::int32_t id : ids) key.add(id);
  return key;
}

}  // namespace

std::optional<Place> place_in(const Context& context) {
  std::optional<Place> place = place_at_end(context);
  const std::int64_t wanted = state_of(context).position;
  if (place && wanted >= 0 && wanted < place->tokens()) place->position = wanted;
  return place;
}

std::shared_ptr<const Predictions> predictions_of(const Context& context, const Place& place) {
  const auto trace = place.trace;
  const std::int64_t batch = place.batch;
  return context.derived
      .later<Predictions>(key_of("next word/predictions", *trace, batch),
                          [trace, batch](const CancelToken& cancel) { return predictions(*trace, batch, kListed, cancel); })
      .value;
}

std::int64_t shown_layer(const Context& context, const LogitLens& lens) {
  const std::int64_t layer = state_of(context).layer;
  return layer >= 0 && layer + 1 < lens.rows() ? layer : -1;
}

std::shared_ptr<const RankedScores> shown_ranked_of(const Context& context, const Place& place) {
  if (state_of(context).layer < 0) return ranked_of(context, place);
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
  for (std::size_t i = 0; i < std::min(listed, at.size()); ++i)
    drawn.shares.push_back(i < drawn.allowed ? at[i].probability / together : 0);
  return drawn;
}

std::shared_ptr<const LogitLens> lens_of(const Context& context, const Place& place) {
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

Result<HeadPushes> make_pushes(const Place& place, std::int32_t token, bool cross, const CancelToken& cancel) {
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
  sort_stably(out.heads, [](const HeadPush& a, const HeadPush& b) { return std::abs(a.push) > std::abs(b.push); });
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

std::shared_ptr<const HeadPushes> pushes_of(const Context& context, const Place& place, std::int32_t token, std::string* error) {
  const bool cross = state_of(context).cross && !place.trace->targets().empty();
  const auto made = context.derived.later<HeadPushes>(
      DerivedKey("next word/pushes", {place.key(), token, cross}),
      [place, token, cross](const CancelToken& cancel) { return make_pushes(place, token, cross, cancel); });
  if (made.error && error) *error = spoken_in_window(*made.error);
  return made.value;
}

TokenIds continuation_ids(const Place& place, const std::string& typed) {
  if (typed.empty()) return {};
  const auto first = static_cast<unsigned char>(typed.front());
  const bool word = std::isalnum(first) || first >= 0x80;
  const auto tokens = place.tokenizer().encode(word ? " " + typed : typed);
  TokenIds ids;
  if (tokens)
    for (const tokenizers::Token& token : *tokens) ids.push_back(token.id);
  return ids;
}

std::shared_ptr<const Continued> continued_of(const Context& context, const Place& place, const TokenIds& ids,
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

std::int32_t tracked_token(const Context& context, const Place& place, const RankedScores& ranked) {
  const std::int32_t pointed = context.transient ? context.transient->of<Held>().pointed : -1;
  if (pointed >= 0 && static_cast<std::size_t>(pointed) < ranked.scores.size()) return pointed;
  const std::string& piece = state_of(context).tracked;
  const std::int32_t found = piece.empty() ? -1 : place.tokenizer().vocabulary().find(piece);
  if (found >= 0 && static_cast<std::size_t>(found) < ranked.scores.size()) return found;
  return ranked.candidates.empty() ? 0 : ranked.candidates.front().token;
}

void go_on_generating(const Context& context, const Place& place, GeneratedWords& generated) {
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
  static_cast<SamplingOptions&>(options) = sampling_of(context.view.sampling);
  options.seed = static_cast<std::uint64_t>(context.view.sampling.seed);
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
  const Document& document = place.trace->document();
  const auto model = stored_model_of(document);
  generated.ended = ends_text(document, model.ok() ? model->get() : nullptr, place.tokenizer(), made.value->token);
  if (context.frame_in) context.frame_in(0);
}

bool is_generating(const GeneratedWords& generated) { return generated.wanted > generated.words.size() && !generated.ended; }

void turn_generating(const Context& context, const Place& place, GeneratedWords& generated) {
  if (is_generating(generated))
    generated.wanted = generated.words.size();
  else
    generated = {place.key(), {}, static_cast<std::size_t>(state_of(context).words), false, 0, {}};
}

HeadRef shown_head(const Context& context, const Place& place) {
  const Document& document = place.trace->document();
  const auto within = [](std::int64_t index, std::int64_t count) {
    return std::clamp<std::int64_t>(index, 0, std::max<std::int64_t>(0, count - 1));
  };
  return {within(context.view.layer, document.layers), within(context.view.head, document.projected ? document.heads : 1)};
}

std::shared_ptr<const std::vector<double>> attention_of_added(const Context& context, const Place& place, const TokenIds& added) {
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

}  // namespace headlight::views::next_word
