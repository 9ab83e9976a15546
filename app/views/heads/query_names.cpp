#include "app/views/heads/query_names.h"

#include <algorithm>

#include "app/views/heads/state.h"
#include "engine/insight/predictions.h"

namespace headlight::views::heads {

bool writes_words(const AttentionChoice& choice) { return choice.site && headlight::writes_words(*choice.site); }

bool names_written(const Context& context, const AttentionChoice& choice) {
  return context.view.row_word == "written" && writes_words(choice);
}

std::vector<std::string> query_names(const Context& context, const AttentionChoice& choice) {
  return row_labels(context, choice);
}

const AttentionWords* shown_words(const ViewState& view, const AttentionChoice& choice) {
  const State& own = view.own.of<State>();
  const bool rolls_out = own.together == "rollout" && choice.site->rows_are_targets == choice.site->columns_are_targets;
  const bool weights = own.picture == "arcs" || rolls_out || shown_role(view) == Role::weights;
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
