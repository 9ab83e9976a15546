#include "app/views/scores/bahdanau_data.h"

#include <algorithm>
#include <functional>

#include "app/figures/base/labels.h"

namespace headlight::views::scored {
namespace {

// Both texts, and what the step reads and writes.
struct StepTexts {
  const Sentence *source = nullptr, *target = nullptr;
};
StepTexts step_texts(const Context& context, const AttentionChoice& choice) {
  const auto batch = static_cast<std::size_t>(choice.batch);
  const auto texts = context.trace->texts(), targets = context.trace->targets();
  if (batch >= texts.size()) return {};
  return {&texts[batch], batch < targets.size() && !targets[batch].tokens.empty() ? &targets[batch] : &texts[batch]};
}

std::vector<std::int64_t> token_ids(const Sentence& sentence) {
  std::vector<std::int64_t> ids;
  for (const auto& token : sentence.tokens) ids.push_back(token.id);
  return ids;
}

// Null: an empty or a very long text.
std::shared_ptr<const BahdanauStep> made_step(const Context& context, const AttentionChoice& choice, std::size_t step) {
  const StepTexts texts = step_texts(context, choice);
  if (!texts.source) return nullptr;
  const BahdanauTexts ids{token_ids(*texts.source), token_ids(*texts.target)};
  const std::uint64_t seed = context.trace->document().seed;
  const std::function<Result<BahdanauStep>(const CancelToken&)> make = [ids, step, seed](const CancelToken&) {
    return bahdanau_step(ids, step, seed);
  };
  const DerivedKey key("scores/bahdanau", {context.trace->generation(), choice.batch, step});
  const bool many = ids.source.size() * (step + 1) > 20000;
  return (many ? context.derived.later<BahdanauStep>(key, make) : context.derived.now<BahdanauStep>(key, make)).value;
}

bool has_place(const BahdanauStep& step, const figures::SheetPlace& place) {
  if (place.quantity < 0 || place.quantity >= static_cast<std::int64_t>(figures::kSheetQuantities.size())) return false;
  std::string quantity = figures::kSheetQuantities[static_cast<std::size_t>(place.quantity)];
  if (quantity == "before") quantity = "s";
  return trace_number(step, quantity, static_cast<std::size_t>(place.word), static_cast<std::size_t>(place.unit)).ok();
}

}  // namespace

BahdanauNumber number_at(const Context& context, const AttentionChoice& choice, const BahdanauStep& step,
                         const figures::SheetPlace& place) {
  if (!has_place(step, place)) return {};
  std::string quantity = figures::kSheetQuantities[static_cast<std::size_t>(place.quantity)];
  std::shared_ptr<const BahdanauStep> before;
  const bool earlier = quantity == "before" && step.step > 0;
  if (earlier) before = made_step(context, choice, step.step - 1);
  const auto number = trace_number(before ? *before : step, earlier ? "s" : quantity, static_cast<std::size_t>(place.word),
                                   static_cast<std::size_t>(place.unit));
  return number.ok() ? *number : BahdanauNumber();
}

std::int64_t steps_of(const Context& context, const AttentionChoice& choice) {
  const StepTexts texts = step_texts(context, choice);
  return texts.target ? static_cast<std::int64_t>(texts.target->tokens.size()) : 0;
}

figures::SheetInput sheet_input(const Context& context, const AttentionChoice& choice, std::int64_t query) {
  figures::SheetInput input;
  const StepTexts texts = step_texts(context, choice);
  if (!texts.source || texts.target->tokens.empty()) return input;
  const auto at = static_cast<std::size_t>(std::clamp<std::int64_t>(query, 0, steps_of(context, choice) - 1));
  const auto step = made_step(context, choice, at);
  if (!step) return input;
  input.step = *step;
  input.source = figures::numbered(texts.source->labels);
  const std::vector<std::string> target = figures::numbered(texts.target->labels);
  for (const std::int64_t id : step->vocabulary)
    for (std::size_t i = 0; i < texts.target->tokens.size(); ++i)
      if (texts.target->tokens[i].id == id) {
        input.vocabulary.push_back(texts.target->labels[i]);
        break;
      }
  input.written = target[at];
  if (at > 0) input.before = texts.target->labels[at - 1];
  input.steps = texts.target->tokens.size();
  input.seed = context.trace->document().seed;
  input.hot = hovered_token(*context.trace, false, choice.batch, context.hover.now);
  if (context.transient) input.shown = context.transient->of<BahdanauHeld>().shown;
  if (!has_place(*step, input.shown)) {
    const auto& alpha = step->weights_of_words;
    input.shown = {2, std::max_element(alpha.begin(), alpha.end()) - alpha.begin(), 0};  // e of the word that is weighed most
  }
  input.number = number_at(context, choice, *step, input.shown);
  return input;
}

}  // namespace headlight::views::scored
