// Actions that change what a view's picture shows. In presentation mode, which hides the controls, they are the way to change it.
#include <algorithm>
#include <array>

#include "app/panels/positions/positions_data.h"
#include "app/panels/shared/attention_choice.h"
#include "app/views/base/view.h"
#include "app/window/commands/actions.h"
#include "app/window/shell/shell.h"

namespace headlight::window {
namespace {

// Where a view says which of a view's pictures is shown.
using Field = std::string& (*)(ViewState&);
std::string& masks_shows(ViewState& view) { return view.masks.shows; }
std::string& masks_page(ViewState& view) { return view.masks.page; }
std::string& tokens_picture(ViewState& view) { return view.tokens.picture; }
std::string& positions_picture(ViewState& view) { return view.positions.picture; }
std::string& embeddings_page(ViewState& view) { return view.embeddings.page; }
std::string& why_page(ViewState& view) { return view.why.page; }
std::string& walk_page(ViewState& view) { return view.walk.page; }
std::string& shown_step(ViewState& view) { return view.shown; }

void set(Shell& shell, const char* tab, Field field, const char* value) {
  shell.view().tab = tab;
  shell.view().walk.open.clear();
  field(shell.view()) = value;
}

// The pictures that a view can show, in the order in which F7 goes through them.
struct Ways {
  const char* tab;
  Field field;
  std::array<const char*, 8> values;  // null: no more
};
constexpr Ways kWays[] = {
    {"walk", walk_page, {"", "shapes", "heads", nullptr}},
    {"masks", masks_shows, {"before", "after", "difference", "all", nullptr}},
    {"tokens", tokens_picture, {"rows", "measured", "word", "languages", "training", nullptr}},
    {"positions", positions_picture, {"heatmap", "curves", "distance", "turning", "distances", "rows", "scores", "effect"}},
    {"embeddings", embeddings_page, {"model", "one-hot", "learn"}},
    {"why", why_page, {"routes", "difference", "composition"}},
    {"compare", shown_step, {"scores", "masked_scores", "weights", nullptr, nullptr}},
};

// Whether what is computed has such a picture: positions have one of turning pairs, of distances or of a table.
bool has_picture(const Shell& shell, const Ways& ways, const char* value) {
  const std::string tab = ways.tab;
  if (tab != "positions") return true;
  const std::vector<std::string> pictures = panels::position_pictures(shell.document());
  return pictures.empty() || std::find(pictures.begin(), pictures.end(), value) != pictures.end();
}

// The open view, if it declares several pages.
const views::View* paged_view(const Shell& shell) {
  for (const views::View* view : views::views())
    if (shell.view().tab == view->id && view->has_pages()) return view;
  return nullptr;
}

void turn(Shell& shell, int step) {
  if (const views::View* view = paged_view(shell)) {
    const auto count = static_cast<int>(view->pages.size()), at = static_cast<int>(view->shown_page(shell.view()));
    return view->show(shell.view(), static_cast<std::size_t>((at + step + count) % count));
  }
  for (const Ways& ways : kWays) {
    if (shell.view().tab != ways.tab) continue;
    shell.view().walk.open.clear();  // an opened box would hide the page
    std::string& now = ways.field(shell.view());
    const auto count = static_cast<int>(std::find(ways.values.begin(), ways.values.end(), nullptr) - ways.values.begin());
    int at = 0;
    while (at < count && now != ways.values[static_cast<std::size_t>(at)]) ++at;
    at %= count;
    do at = (at + step + count) % count;
    while (!has_picture(shell, ways, ways.values[static_cast<std::size_t>(at)]));
    now = ways.values[static_cast<std::size_t>(at)];
  }
}

bool has_ways(const Shell& shell) {
  return paged_view(shell) ||
         std::any_of(std::begin(kWays), std::end(kWays), [&](const Ways& w) { return shell.view().tab == w.tab; });
}

panels::AttentionChoice choice_of(Shell& shell) {
  if (!shell.frame_in_progress || !shell.published().trace) return {};
  return panels::choose_attention(shell.context(*shell.frame_in_progress));
}

// Selects another row of the attention: the one that the Values view explains and that the pictures highlight.
void turn_query(Shell& shell, int step) {
  const panels::AttentionChoice choice = choice_of(shell);
  if (!choice.site || choice.site->queries == 0) return;
  ViewState& view = shell.view();
  const std::int64_t n = choice.site->queries;
  view.pinned_row = view.pinned_row < 0 ? (step > 0 ? 0 : n - 1) : (view.pinned_row + step + n) % n;
  view.pinned_column = -1;
  view.inspector.step.clear();
  view.inspector.index.clear();
}

void turn_kind(Shell& shell) {
  const panels::AttentionChoice choice = choice_of(shell);
  if (choice.kinds.size() < 2) return;
  std::size_t at = 0;
  while (at < choice.kinds.size() && choice.kinds[at].id != choice.kind) ++at;
  shell.view().site = choice.kinds[(at + 1) % choice.kinds.size()].id;
  shell.view().pinned_row = shell.view().pinned_column = -1;
}

void turn_mask_row(Shell& shell, int step) {
  const panels::AttentionChoice choice = choice_of(shell);
  if (!choice.site) return;
  shell.view().tab = "masks";
  // -1 means all rows at once; it comes between the last and the first.
  const std::int64_t n = choice.site->queries + 1;
  shell.view().masks.row = (shell.view().masks.row + 1 + step + n) % n - 1;
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
       has_ways,
       true},
      {"picture_previous",
       "Previous picture of the view",
       "The view's picture before this one",
       "window",
       {{ImGuiMod_Shift | ImGuiKey_F7}},
       [](Shell& s) { turn(s, -1); },
       has_ways,
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

std::vector<Action> masks_actions() {
  return {
      {"masks_before",
       "Masks: before",
       "The weights without any mask, in any layer",
       "view",
       {},
       [](Shell& s) { set(s, "masks", masks_shows, "before"); },
       {}},
      {"masks_after",
       "Masks: after",
       "The weights under the masks",
       "view",
       {},
       [](Shell& s) { set(s, "masks", masks_shows, "after"); },
       {}},
      {"masks_difference",
       "Masks: difference",
       "With masks minus without: where the weight went",
       "view",
       {},
       [](Shell& s) { set(s, "masks", masks_shows, "difference"); },
       {}},
      {"masks_all",
       "Masks: all three",
       "Before, after and difference side by side",
       "view",
       {},
       [](Shell& s) { set(s, "masks", masks_shows, "all"); },
       {}},
      {"masks_paint",
       "Masks: paint",
       "The mask over the attention: paint and erase cells with the mouse",
       "view",
       {},
       [](Shell& s) { set(s, "masks", masks_page, "paint"); },
       {}},
      {"masks_shapes",
       "Masks: shapes",
       "Each mask as the array it is, and how it is broadcast to the shape of the scores",
       "view",
       {},
       [](Shell& s) { set(s, "masks", masks_page, "shapes"); },
       {}},
      {"masks_fill",
       "Masks: -inf or -1e9",
       "What replaces a masked score, and what softmax makes of it",
       "view",
       {},
       [](Shell& s) { set(s, "masks", masks_page, "fill"); },
       {}},
      {"masks_row_next",
       "Masks: one row on",
       "Line by line, as a decoder generates: what the next token may see",
       "view",
       {},
       [](Shell& s) { turn_mask_row(s, 1); },
       has_trace},
      {"masks_row_previous",
       "Masks: one row back",
       "Line by line: what the token before may see",
       "view",
       {},
       [](Shell& s) { turn_mask_row(s, -1); },
       has_trace},
  };
}

std::vector<Action> walk_pages_actions() {
  return {
      {"walk_shapes",
       "Walk-through: every step and its shape",
       "Every step of the model by name, with its shape, in order",
       "view",
       {},
       [](Shell& s) { set(s, "walk", walk_page, "shapes"); },
       {}},
      {"walk_products",
       "Walk-through: Q times Kᵀ, head by head",
       "Q's grid of heads times Kᵀ's: which row meets which column; and the same as a loop over the heads",
       "view",
       {},
       [](Shell& s) { set(s, "walk", walk_page, "heads"); },
       {}},
  };
}

std::vector<Action> token_pictures_actions() {
  return {
      {"tokens_rows",
       "Tokens: every tokenizer",
       "The sentence cut by every tokenizer, aligned by character",
       "view",
       {},
       [](Shell& s) { set(s, "tokens", tokens_picture, "rows"); },
       {}},
      {"tokens_measured",
       "Tokens: measured",
       "What each way of cutting costs, on the sentence or on a corpus",
       "view",
       {},
       [](Shell& s) { set(s, "tokens", tokens_picture, "measured"); },
       {}},
      {"tokens_word",
       "Tokens: one word",
       "One word under three algorithms, step by step",
       "view",
       {},
       [](Shell& s) { set(s, "tokens", tokens_picture, "word"); },
       {}},
      {"tokens_languages",
       "Tokens: languages",
       "How many more tokens each language needs",
       "view",
       {},
       [](Shell& s) { set(s, "tokens", tokens_picture, "languages"); },
       {}},
      {"tokens_training",
       "Tokens: the training film",
       "A tokenizer in training, one merge at a time",
       "view",
       {},
       [](Shell& s) { set(s, "tokens", tokens_picture, "training"); },
       {}},
      {"embeddings_model",
       "Embeddings: the model's words",
       "The embedding table of the shown model",
       "view",
       {},
       [](Shell& s) { set(s, "embeddings", embeddings_page, "model"); },
       {}},
      {"embeddings_one_hot",
       "Embeddings: one-hot times table",
       "Why a vector with a single 1 times a matrix is a look-up of one row",
       "view",
       {},
       [](Shell& s) { set(s, "embeddings", embeddings_page, "one-hot"); },
       {}},
      {"embeddings_learn",
       "Embeddings: learn from a text",
       "word2vec: the table is learnt from a text while you look on",
       "view",
       {},
       [](Shell& s) { set(s, "embeddings", embeddings_page, "learn"); },
       {}},
      {"positions_heatmap",
       "Positions: heatmap",
       "The code of each position as a row of colours",
       "view",
       {},
       [](Shell& s) { set(s, "positions", positions_picture, "heatmap"); },
       {}},
      {"positions_curves",
       "Positions: curves",
       "Chosen dimensions over the position",
       "view",
       {},
       [](Shell& s) { set(s, "positions", positions_picture, "curves"); },
       {}},
      {"positions_distance",
       "Positions: distance",
       "Dot products of positions, by how far apart they stand",
       "view",
       {},
       [](Shell& s) { set(s, "positions", positions_picture, "distance"); },
       {}},
      {"positions_turning",
       "Positions: turning pairs",
       "Rotary positions: a pair of dimensions of a query and a key as they turn",
       "view",
       {},
       [](Shell& s) { set(s, "positions", positions_picture, "turning"); },
       {}},
      {"positions_effect",
       "Positions: pattern",
       "A head's pattern without positions, with them, and the difference",
       "view",
       {},
       [](Shell& s) { set(s, "positions", positions_picture, "effect"); },
       {}},
  };
}

}  // namespace

std::vector<Action> picture_actions() {
  std::vector<Action> list;
  for (auto part :
       {walking_actions(), shown_actions(), colour_actions(), masks_actions(), walk_pages_actions(), token_pictures_actions()})
    for (Action& action : part) list.push_back(std::move(action));
  return list;
}

}  // namespace headlight::window
