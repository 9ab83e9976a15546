// The parts of the Heads tab: thumbnails and numbers on the left, the chosen heads large on the right, their controls.
#pragma once

#include <string>
#include <vector>

#include "app/gl/figure_view.h"
#include "app/panels/heads/head_choosing.h"
#include "app/panels/heads/head_pictures.h"
#include "app/panels/heads/head_roles.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// The tab while it is drawn.
struct HeadsTab {
  Context& context;
  const ui::Look& look;
  const AttentionChoice& choice;
  // A tab so low that the picture needs all of it: the thumbnails are in the column beside it as in presentation mode, and the
  // controls are folded into one row.
  bool tight = false;
};

// What the tab keeps from frame to frame.
struct HeadsTransient {
  std::int64_t page = 0, pages = 1;                  // of the pictures that stand side by side: which page is shown, of how many
  HeadRef paged_for{-1, -1};                         // the current head when the page was chosen
  float below = 80;                                  // the height of the legend under the picture, in points
  bool mouse_rests = false;                          // the arrows moved the pinned cell, and the mouse has not moved since
  std::int64_t pinned_row = -1, pinned_column = -1;  // what was pinned before the first click of a double click
  std::int64_t across = 1;                           // thumbnails in a line, where they stand in order
  // The thumbnails' arrangement by order, filter and number of heads: shown while the statistics of a new trace are being made.
  struct Arranged {
    std::string order, filter;
    std::int64_t total = 0;
    Arrangement heads;
  };
  std::vector<Arranged> arranged;
};

// --- heads_grid.cpp
void draw_heads_grid(const HeadsTab& tab, float width, float height);
void draw_heads_order(const HeadsTab& tab, float width);  // sorting and filtering
figures::Figure figure_of_grid(const Context& context, float width, float height);

// --- heads_picture.cpp
void draw_heads_picture(const HeadsTab& tab, float width, float height);
// The chosen heads as the view shows them, completely and without highlights.
figures::Figure figure_of_heads(const Context& context, float width, float height);

// --- heads_cells.cpp
// While "what if" is shown, a click with Shift masks the cell of the pane's head, or takes that back. True: it was such a click.
bool mask_by_hand(const HeadsTab& tab, const Pane& pane, std::int64_t query, std::int64_t key);

// --- heads_controls.cpp: each draws at ImGui's cursor and moves it below
// `titled`: it begins with the name of the only head.
void draw_heads_header(const HeadsTab& tab, const std::vector<Pane>& panes, std::int64_t pages, float width, bool titled);
// Both in one row; returns its width, or 0 if it took several rows.
float draw_heads_folded(const HeadsTab& tab, const std::vector<Pane>& panes, std::int64_t pages, float width, bool titled);
// `column`: in a narrow place, where each group of buttons is a menu. `sums`: says what the rows sum to.
void draw_heads_scale(const HeadsTab& tab, const std::vector<Pane>& panes, float width, bool column, bool sums = true);

// --- heads_saying.cpp: above the picture of one head of a trained model, what it does with this sentence
// Draws it at ImGui's cursor and moves that below; returns the height in points, 0 where there is none. `room`: of the tab below.
float draw_heads_saying(const HeadsTab& tab, const std::vector<Pane>& panes, float width, float room);

// --- heads_roles.cpp: below the thumbnails of a model whose heads were measured
// The selected head's scores beside each other: measured, and in this sentence. Or, `brief`, the roles that were found and how
// many heads have each, with the head's statistics. A click on a role leaves its heads alone in the thumbnails' light.
figures::Figure roles_figure(const Context& context, const AttentionChoice& choice, const HeadRoles& roles,
                             const HeadStatistics& statistics, float width, bool brief);
// What the mouse does with it where it was drawn last; each role's row is a part of the window, "heads:role:adjective".
void roles_hit(const HeadsTab& tab, const gl::Hit& hit, const figures::Figure& figure);
// "4 have a found role"
std::string found_words(const HeadRoles& roles);

// --- heads_presented.cpp: in presentation mode, which head it is and the cell that is lit as one large number
figures::Figure heads_caption(const Context& context, const AttentionChoice& choice, const Pane& pane, float width, bool titled);

// --- heads_inputs.cpp: from pictures to the layouts' inputs
std::string weights_note(const Trace& trace, const AttentionChoice& choice);  // random_note() of the attention that is shown
bool has_random_weights(const Trace& trace, const AttentionChoice& choice);
std::string colormap_of(const ViewState& view);
// The highlighted query and key: hovered here, hovered elsewhere as a token, else pinned. `hovered`: not only pinned.
struct LitCell {
  std::int64_t query = -1, key = -1;
  bool hovered = false;
};
LitCell lit_of(const Context& context, const AttentionChoice& choice);
// One pane's layout. `window`: the visible part. The view's orientation decides which of `lit` is the row and which the column.
// An empty figure while it is being computed; `error` as in pane_picture().
struct PaneLook {
  PaneWindow window;
  LitCell lit;
  bool title = false, legend = false;
  bool brief = false;       // the title is the head's short name: "L3 H5"
  float most_cell = 88;     // a cell's height in points
  float most_width = 0;     // its width; 0: somewhat more
  bool plain_axes = false;  // one plain sentence instead of the names of both axes
  float grain = 1;          // cells are multiples of it
  bool names_rows = true;   // as in MatrixInput
  float lean = 0;
  bool whole = false;  // for a file: all cells, not combined for the screen
};
figures::Figure pane_figure(const Context& context, const AttentionChoice& choice, const Pane& pane, const PaneLook& how,
                            float width, float height, figures::Legend* legend = nullptr, const Error** error = nullptr);
// The numbers of rows and columns in the view's orientation.
std::pair<std::int64_t, std::int64_t> matrix_size(const ViewState& view, const AttentionChoice& choice);
// Cells per side that are combined into one dot in the visible part.
std::int64_t dots_block(const PaneWindow& window);

}  // namespace headlight::panels
