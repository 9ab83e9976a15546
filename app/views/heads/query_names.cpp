#include "app/views/heads/query_names.h"

#include <algorithm>

#include "engine/insight/predictions.h"

namespace headlight::views::heads {
namespace {

// The best guess behind the last token of the target.
std::string guess_behind(const Context& context, std::int64_t batch, std::int64_t position) {
  const std::shared_ptr<const Trace> trace = context.trace;
  const DerivedKey key("heads/guess", {trace->generation(), batch, position});
  const auto guess = context.derived.now<std::string>(
      key, [trace, batch, position](const CancelToken&) -> Result<std::string> { return best_guess(*trace, batch, position); });
  return guess.value ? *guess.value : "…";
}

}  // namespace

bool writes_words(const AttentionChoice& choice) { return choice.site && headlight::writes_words(*choice.site); }

bool names_written(const Context& context, const AttentionChoice& choice) {
  return context.view.row_word == "written" && writes_words(choice);
}

std::vector<std::string> query_names(const Context& context, const AttentionChoice& choice) {
  std::vector<std::string> names = row_labels(context, choice);
  if (!names_written(context, choice) || names.empty()) return names;
  const auto targets = context.trace->targets();
  const auto batch = static_cast<std::size_t>(choice.batch);
  const auto own =
      static_cast<std::int64_t>(batch < targets.size() ? std::min(targets[batch].tokens.size(), names.size()) : names.size());
  if (own > 0)
    names = written_names(*context.trace, choice.batch, std::move(names), guess_behind(context, choice.batch, own - 1));
  return names;
}

}  // namespace headlight::views::heads
