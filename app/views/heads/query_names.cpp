#include "app/views/heads/query_names.h"

#include <algorithm>

#include "app/views/heads/state.h"
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

const AttentionWords* shown_words(const ViewState& view, const AttentionChoice& choice) {
  const State& own = view.own.of<State>();
  const bool rolls_out = own.together == "rollout" && choice.site->rows_are_targets == choice.site->columns_are_targets;
  const bool weights = own.picture == "arcs" || rolls_out || panels::shown_role(view) == Role::weights;
  return weights && own.picture != "neuron" ? choice.words.get() : nullptr;
}

std::vector<std::string> shown_queries(const Context& context, const AttentionChoice& choice) {
  const AttentionWords* const words = shown_words(context.view, choice);
  return words ? words->row_labels : query_names(context, choice);
}

std::vector<std::string> shown_keys(const Context& context, const AttentionChoice& choice) {
  const AttentionWords* const words = shown_words(context.view, choice);
  return words ? words->column_labels : column_labels(context, choice);
}

}  // namespace headlight::views::heads
