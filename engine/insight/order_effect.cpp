#include "engine/insight/order_effect.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/core/sorting.h"
#include "engine/document/intervention.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight {
namespace {

std::vector<std::int32_t> sorted_ids(const Sentence& sentence) {
  std::vector<std::int32_t> ids;
  for (const auto& token : sentence.tokens) ids.push_back(token.id);
  sort_stably(ids);
  return ids;
}

bool is_norm(Role role) { return role == Role::attention_norm || role == Role::mlp_norm || role == Role::final_norm; }

}  // namespace

bool is_reordered(const Trace& trace) {
  if (trace.texts().size() < 2) return false;
  const Sentence &a = trace.texts()[0], &b = trace.texts()[1];
  if (a.tokens.size() < 2 || a.tokens.size() != b.tokens.size() || sorted_ids(a) != sorted_ids(b)) return false;
  return !std::equal(a.tokens.begin(), a.tokens.end(), b.tokens.begin(),
                     [](const auto& x, const auto& y) { return x.id == y.id; });
}

Result<OrderEffect> order_effect(const Trace& trace, const CancelToken& cancel) {
  if (!is_reordered(trace))
    return invalid("the first two sentences are not the same tokens in another order")
        .at("texts")
        .mend("give two such as \"the man bites the dog\" and \"the dog bites the man\"");
  OrderEffect effect;
  for (const Step& step : trace.steps())
    if (step.shape.size() == 3 && !is_norm(step.role) && step.shape[2] == trace.document().d_model &&
        (trace.targets().empty() || step.name.starts_with("encoder.")))
      effect.step = step.name;
  if (effect.step.empty()) return not_found("the trace has no vectors to compare");
  HL_ASSIGN(const Tensor values, trace.values(effect.step, cancel));
  const Sentence &a = trace.texts()[0], &b = trace.texts()[1];
  std::map<std::int32_t, std::vector<std::int64_t>> places;
  for (std::size_t j = b.tokens.size(); j-- > 0;) places[b.tokens[j].id].push_back(static_cast<std::int64_t>(j));
  for (std::size_t i = 0; i < a.tokens.size(); ++i) {
    if (cancel.cancelled()) return cancelled();
    auto& left = places[a.tokens[i].id];
    OrderEffect::Word word;
    word.label = i < a.labels.size() ? a.labels[i] : a.tokens[i].piece;
    word.first = static_cast<std::int64_t>(i);
    word.second = left.back();
    left.pop_back();
    double apart = 0, length = 0;
    for (std::int64_t c = 0; c < values.dim(2); ++c) {
      const double x = values.at({0, word.first, c}), y = values.at({1, word.second, c});
      apart += (x - y) * (x - y);
      length += x * x;
    }
    word.distance = std::sqrt(apart);
    word.length = std::sqrt(length);
    effect.largest = std::max(effect.largest, word.distance);
    effect.words.push_back(std::move(word));
  }
  return effect;
}

Result<OrderEffect> order_effect_with(Document document, const std::string& position, const CancelToken& cancel) {
  const bool trained = document.model != "sandbox";  // with its own positions, which can be left out and nothing else
  if (trained) leave_out_positions(document, position == "none");
  if (!trained || position != "none") document.position = position;
  HL_TRY(validate(document));
  HL_ASSIGN(const std::shared_ptr<const Trace> trace, run_anywhere(document, cancel));
  return order_effect(*trace, cancel);
}

Document reordered_example(Document document) {
  document.custom_mask.reset();
  document.interventions.clear();
  if (document.model != "sandbox") {
    // A trained tokenizer writes a sentence's first word in other pieces than the same word later: it is the same in both.
    document.texts = {"the man bites the dog", "the dog bites the man"};
    if (!document.targets.empty()) document.targets = {"", ""};
    return document;
  }
  document.texts = {"man bites dog", "dog bites man"};
  document.targets.clear();
  document.tokenizer = "words";
  document.masks.clear();
  document.add_begin = document.add_end = false;
  return document;
}

}  // namespace headlight
