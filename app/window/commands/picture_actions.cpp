// Actions that change what a view's picture shows. In presentation mode, which hides the controls, they are the way to change it.
#include <algorithm>

#include "app/views/base/attention_choice.h"
#include "app/views/base/view.h"
#include "app/window/commands/actions.h"
#include "app/window/shell/shell.h"

namespace headlight::window {
namespace {

void turn(Shell& shell, int step) {
  const views::View* const open = views::registry().find(shell.view().tab);
  if (!open || !shell.frame_in_progress) return;
  const views::Context context = shell.context(*shell.frame_in_progress);
  const std::vector<std::size_t> there = open->pages_now(context);
  if (there.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(there.size());
  const auto found = std::find(there.begin(), there.end(), open->shown_page(context));
  const std::ptrdiff_t at = found == there.end() ? 0 : found - there.begin();
  open->show(shell.view(), there[static_cast<std::size_t>((at + step + count) % count)]);
}

views::AttentionChoice choice_of(Shell& shell) {
  if (!shell.frame_in_progress || !shell.published().trace) return {};
  return views::choose_attention(shell.context(*shell.frame_in_progress));
}

// Selects another row of the attention: the one that the Values view explains and that the pictures highlight.
void turn_query(Shell& shell, int step) {
  const views::AttentionChoice choice = choice_of(shell);
  if (!choice.site || choice.site->queries == 0) return;
  ViewState& view = shell.view();
  const std::int64_t n = choice.site->queries;
  view.pinned_row = view.pinned_row < 0 ? (step > 0 ? 0 : n - 1) : (view.pinned_row + step + n) % n;
  view.pinned_column = -1;
  view.inspector.step.clear();
  view.inspector.index.clear();
}

void turn_kind(Shell& shell) {
  const views::AttentionChoice choice = choice_of(shell);
  if (choice.kinds.size() < 2) return;
  std::size_t at = 0;
  while (at < choice.kinds.size() && choice.kinds[at].id != choice.kind) ++at;
  shell.view().site = choice.kinds[(at + 1) % choice.kinds.size()].id;
  shell.view().pinned_row = shell.view().pinned_column = -1;
}

bool has_pages(const Shell& shell) {
  const views::View* const open = views::registry().find(shell.view().tab);
  return open && open->has_pages();
}
bool has_several_kinds(const Shell& shell) { return has_trace(shell) && !shell.published().trace->targets().empty(); }
bool has_batch(const Shell& shell) { return shell.document().texts.size() > 1; }

std::vector<Action> walking_actions() {
  return {
      {"picture_next",
       "Next picture of the view",
       "Map, dots, arcs, q·k; before, after, difference; the view's other ways of showing the same",
       "window",
       {{ImGuiKey_F7}},
       [](Shell& s) { turn(s, 1); },
       has_pages,
       true},
      {"picture_previous",
       "Previous picture of the view",
       "The view's picture before this one",
       "window",
       {{ImGuiMod_Shift | ImGuiKey_F7}},
       [](Shell& s) { turn(s, -1); },
       has_pages,
       true},
      {"query_next",
       "Next query",
       "The row of the next token: where it looks, and what it gathers",
       "view",
       {},
       [](Shell& s) { turn_query(s, 1); },
       has_trace},
      {"query_previous",
       "Previous query",
       "The row of the token before",
       "view",
       {},
       [](Shell& s) { turn_query(s, -1); },
       has_trace},
      {"kind_next",
       "Next kind of attention",
       "The encoder's own, the decoder's own, or cross-attention between them",
       "view",
       {},
       turn_kind,
       has_several_kinds},
      {"sentence_next",
       "Next sentence of the batch",
       "Another of the sentences that are computed together",
       "view",
       {},
       [](Shell& s) { s.view().batch = (s.view().batch + 1) % static_cast<std::int64_t>(s.document().texts.size()); },
       has_batch},
  };
}

std::vector<Action> shown_actions() {
  return {
      {"show_scores",
       "Show scores",
       "q·k of every query with every key, before scale and mask",
       "view",
       {},
       [](Shell& s) { s.view().shown = "scores"; },
       {}},
      {"show_masked",
       "Show masked scores",
       "The scaled scores after the mask, as the softmax gets them",
       "view",
       {},
       [](Shell& s) { s.view().shown = "masked_scores"; },
       {}},
      {"show_weights",
       "Show weights",
       "What the softmax makes of them: each query's weights sum to 1",
       "view",
       {},
       [](Shell& s) { s.view().shown = "weights"; },
       {}},
  };
}

std::vector<Action> colour_actions() {
  return {
      {"range_fixed",
       "Colours: 0..1",
       "Colours from 0 to 1 always: pictures can be compared",
       "view",
       {},
       [](Shell& s) { s.view().range = "fixed"; },
       {}},
      {"range_own",
       "Colours: up to the largest",
       "Colours from 0 to the largest weight shown, for long texts whose weights are all small",
       "view",
       {},
       [](Shell& s) { s.view().range = "own"; },
       {}},
      {"range_row",
       "Colours: each row by its largest",
       "Each query by its own largest weight: where does it look most?",
       "view",
       {},
       [](Shell& s) { s.view().range = "row"; },
       {}},
      {"range_log",
       "Colours: powers of ten",
       "Powers of ten from 0.0001 to 1: small weights become visible",
       "view",
       {},
       [](Shell& s) { s.view().range = "log"; },
       {}},
  };
}

}  // namespace

std::vector<Action> picture_actions() {
  std::vector<Action> list;
  for (auto part : {walking_actions(), shown_actions(), colour_actions()})
    for (Action& action : part) list.push_back(std::move(action));
  return list;
}

}  // namespace headlight::window
