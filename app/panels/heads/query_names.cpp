#include "app/panels/heads/query_names.h"

#include <algorithm>

#include "engine/insight/predictions.h"

namespace headlight::panels {
namespace {

// The best guess behind the last token of the target.
std::string guess_behind(const Context& context, std::int64_t batch, std::int64_t position) {
  const std::shared_ptr<const Trace> trace = context.trace;
  if (!predicts_next(*trace)) return "…";
  const DerivedKey key("heads/guess", {trace->generation(), batch, position});
  const auto guess = context.derived.now<std::string>(key, [trace, batch, position](const CancelToken&) -> Result<std::string> {
    HL_ASSIGN(const std::vector<double> scores, scores_behind(*trace, batch, position));
    const auto best = std::max_element(scores.begin(), scores.end());
    if (best == scores.end()) return std::string("…");
    return predicted_tokenizer(*trace).display_text(static_cast<std::int32_t>(best - scores.begin()));
  });
  return guess.value ? *guess.value : "…";
}

}  // namespace

bool writes_words(const AttentionChoice& choice) {
  return choice.site && choice.site->rows_are_targets && !choice.site->columns_are_targets;
}

bool names_written(const Context& context, const AttentionChoice& choice) {
  return context.view.heads.row_word == "written" && writes_words(choice);
}

std::vector<std::string> query_names(const Context& context, const AttentionChoice& choice) {
  std::vector<std::string> names = row_labels(context, choice);
  if (!names_written(context, choice) || names.empty()) return names;
  const auto& targets = context.trace->targets();
  const auto batch = static_cast<std::size_t>(choice.batch);
  // A shorter sentence of a batch is padded behind its own last token.
  const std::size_t own = batch < targets.size() ? std::min(targets[batch].tokens.size(), names.size()) : names.size();
  if (own == 0) return names;
  std::rotate(names.begin(), names.begin() + 1, names.begin() + static_cast<std::ptrdiff_t>(own));
  names[own - 1] = guess_behind(context, choice.batch, static_cast<std::int64_t>(own) - 1);
  return names;
}

}  // namespace headlight::panels
