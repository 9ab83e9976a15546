#include "app/views/base/next_word_lines.h"

#include <algorithm>
#include <functional>

#include "app/text/error_words.h"
#include "app/text/language.h"
#include "engine/document/stored_model.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight::views {
namespace {

using Words = std::vector<figures::NextLinesInput::Word>;

constexpr std::size_t kMost = 6;

Words best_of(const NextWordPlace& place, const std::vector<double>& scores) {
  Words words;
  for (const TokenCandidate& one : ranked_tokens(scores, 1, std::min(kMost, scores.size()))) {
    if (words.size() == kMost) break;
    words.push_back({place.word(one.token), one.probability});
  }
  return words;
}

// The document as its model was trained; the same where nothing is changed.
Document as_trained(const Document& document, const StoredModel& model) {
  Document trained = document;
  use_model(trained, model);
  const bool painted = std::any_of(trained.masks.begin(), trained.masks.end(), [](const Choice& c) { return c.id == "custom"; });
  if (!painted) trained.custom_mask = nullptr;
  return trained;
}

// Whether the model has a language head but no causal mask now, so that there is no next word to predict.
bool looks_ahead(const Trace& trace) {
  return !trace.texts().empty() &&
         std::any_of(trace.steps().begin(), trace.steps().end(), [](const Step& step) { return step.role == Role::logits; });
}

}  // namespace

std::optional<figures::NextLinesInput> next_word_lines(const Context& context, const NextWordNames& names) {
  std::optional<NextWordPlace> place = place_at_end(context);
  const auto model = context.trace ? context.trace->stored_model() : nullptr;
  const bool ahead = !place && model && looks_ahead(*context.trace);
  if (ahead) {
    const auto sentences = static_cast<std::int64_t>(context.trace->texts().size());
    place = NextWordPlace{context.trace, std::clamp<std::int64_t>(context.view.batch, 0, sentences - 1), 0, false};
    place->position = place->tokens() - 1;
  }
  if (!place || place->position < 0 || !model || (place->fills && !place->masked())) return {};
  figures::NextLinesInput input;
  figures::NextLinesInput::Row now;
  now.name = fill(place->fills ? tr("the word for {}") : tr("next word behind {}"), {place->label()});
  now.instead = tr("computing …");
  if (ahead)
    now.instead = tr("none without a causal mask");
  else if (const auto ranked = ranked_of(context, *place))
    now.words = best_of(*place, ranked->scores);

  const Document& document = context.trace->document();
  const Document trained = as_trained(document, *model);
  const bool changed = !untrained_fields(document, *model).empty();
  now.brief = changed || names.always_both ? tr("now") : tr("next word");
  if (changed || names.always_both) now.name = names.now;
  input.rows.push_back(now);
  if (!changed && !names.always_both) return input;
  figures::NextLinesInput::Row before;
  before.name = names.trained;
  before.brief = tr("trained");
  before.instead = tr("computing …");
  if (!changed) {
    before.words = now.words;
  } else {
    // What the person types must not stand in a key whole.
    const std::string json = to_json(trained);
    const DerivedKey key("next word/as trained", {std::hash<std::string>{}(json), json.size(), place->batch, place->position});
    const auto made = context.derived.later<Words>(key, [trained, at = *place](const CancelToken& cancel) -> Result<Words> {
      HL_ASSIGN(const auto trace, run_anywhere(trained, cancel, {}));
      // Trained otherwise, the same text may be other tokens.
      NextWordPlace own{trace, at.batch, at.position, at.fills};
      if (own.tokens() == 0) return Words{};
      own.position = at.fills ? std::min(at.position, own.tokens() - 1) : own.tokens() - 1;
      HL_ASSIGN(const std::vector<double> scores, scores_behind(*trace, own.batch, own.position));
      return best_of(own, scores);
    });
    if (made.value) before.words = *made.value;
    if (made.error) before.instead = spoken_in_window(*made.error);
  }
  input.rows.push_back(std::move(before));
  return input;
}

}  // namespace headlight::views
