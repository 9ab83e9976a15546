// The parts of the Heads view: thumbnails and numbers on the left, the chosen heads large on the right, their controls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gl/figure_view.h"
#include "app/ui/widgets.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/context.h"
#include "app/views/base/figure_menu.h"
#include "app/views/base/menu.h"
#include "app/views/base/view.h"
#include "app/views/heads/choosing.h"
#include "app/views/heads/data.h"
#include "app/views/heads/roles.h"
#include "engine/insight/heads_at_cells.h"
#include "imgui.h"

namespace headlight::views {

const View& heads_view();

namespace heads {

// The view during one frame.
struct HeadsTab {
  const Scene& scene;
  const Context& context;
  const ui::Look look;
  const AttentionChoice choice;
  // True in a room so low that the picture needs all of its height. The thumbnails then stand in the column beside it, as in
  // presentation mode, and the controls are folded into one row.
  bool tight = false;
};
using Shared = std::shared_ptr<const HeadsTab>;

// What lives from frame to frame.
struct HeadsTransient {
  std::int64_t page = 0, pages = 1;             // the shown page of the pictures that stand side by side, and the number of pages
  HeadRef paged_for{-1, -1};                    // the current head when the page was chosen
  float below = 80;                             // the height of the legend under the picture, in points
  std::int64_t menu_query = -1, menu_key = -1;  // the cell that the map's menu was opened over
  bool mouse_rests = false;                     // the arrow keys moved the pinned cell, and the mouse has not moved since
  std::int64_t pinned_row = -1, pinned_column = -1;  // the pinned cell before the first click of a double click
  bool pressed = false;     // the mouse button went down over a picture of the view, not over the one that opened it
  std::int64_t across = 1;  // thumbnails per line, if they stand in an order
  // The thumbnails' arrangement by order, filter and number of heads. It is shown while the statistics of a new trace are being
  // made.
  struct Arranged {
    std::string order, filter;
    std::int64_t total = 0;
    Arrangement heads;
  };
  std::vector<Arranged> arranged;
  // Of thumbnails that are scrolled: what was brought into sight last, where the grid is to be scrolled to, and its visible part.
  std::string in_sight;
  std::optional<figures::Point> scroll_to;
  figures::Point scrolled;
  bool zoomed = false;        // the wheel changed the thumbnails' size: what was under the mouse stays there
  bool sized = false;         // the thumbnails are scrolled, or of a size that was chosen
  float size = 0, whole = 0;  // their side in points, and that at which all fit
};

inline constexpr float kLeastGrid = 100;  // height of the thumbnails, in points

// --- grid.cpp: the thumbnails, with what stands above and below them
// The column of the thumbnails; `compact`: beside a large picture, without controls.
sheet::Node grid_column(Sheet& sheet, const Shared& tab, Size room, bool compact);
// draw_heads_grid(tab, 300, 500) draws the compact column at ImGui's cursor.
void draw_heads_grid(const Shared& tab, float width, float height);
// Sorting, filtering and sizes, for a flow.
std::vector<sheet::Node> order_nodes(Sheet& sheet, const HeadsTab& tab);
figures::Figure figure_of_grid(const Context& context, float width, float height);  // for paper

// What the thumbnails are drawn from.
figures::GridInput grid_input(const Context& context, const AttentionChoice& choice, const GridPictures& pictures,
                              const Arrangement& arrangement);

// --- thumbnails.cpp
// All heads as thumbnails of a size that can be pointed at, scrolled, for the strip at the lower edge of a presented view.
HeadGrid heads_for_strip();
// The layers whose maps are made and shown: all, those that the view asks for, or as many around the selected head as fit into
// memory.
struct ShownLayers {
  std::int64_t begin = 0, end = 0, all = 0;  // indices into AttentionChoice::layers
  bool cut = false;                          // the maps of more layers do not fit into memory
  bool whole() const { return begin == 0 && end == all; }
};
inline constexpr double kMostMaps = 256 << 20;  // bytes of maps that are made at once
// shown_layers(context, choice).end is 30 for a model of 30 layers and a short text.
ShownLayers shown_layers(const Context& context, const AttentionChoice& choice);
// "maps of layers 8 to 15, 201 MB; all take 1.26 GB", said before they are made.
std::string maps_words(const AttentionChoice& choice, const ShownLayers& shown);
// The choice of layers, for a flow: "layers all 30". None for a model with few layers.
std::vector<sheet::Node> layers_nodes(Sheet& sheet, const HeadsTab& tab);
// The width in points in which the thumbnails of all heads of a layer stand beside each other, with the overview of all heads.
// thumbnails_width(context, choice) is about 400 for 30 layers of 9 heads.
float thumbnails_width(const Context& context, const AttentionChoice& choice);
// The room in points that the thumbnails of all heads take at the least size that can be read; where the view asks for all at
// once, at the size at which they fit into `width`.
// room_of_all_heads(context, choice, 200).h is about 165 for 6 layers, presented.
Size room_of_all_heads(const Context& context, const AttentionChoice& choice, float width);
// The controls of the thumbnails' size, for a flow; none where there is nothing to choose.
std::vector<sheet::Node> size_nodes(Sheet& sheet, const HeadsTab& tab);
// Draws the thumbnails in `width` x `height` points. Where they would be too small to read they are scrolled, beside an overview.
void draw_thumbnails(const HeadsTab& tab, figures::GridInput input, const Arrangement& arrangement, float width, float height);

// --- panes.cpp
// draw_heads_picture(tab, 600, 500) draws the chosen heads large.
void draw_heads_picture(const Shared& tab, float width, float height);
// The chosen heads as the view shows them, with all cells and without highlights.
// figure_of_heads(context, 600, 500) is what Ctrl+E exports.
figures::Figure figure_of_heads(const Context& context, float width, float height);

// --- like.cpp: which heads look like this?
// The cells that the state names.
std::vector<MapCell> chosen_cells(const ViewState& view);
// The weights of all heads of the shown attention on these; null while they are being read, or if there is no such cell.
// (*heads_like(context, choice))[layer * heads + head].weight is one head's.
std::shared_ptr<const std::vector<HeadAtCells>> heads_like(const Context& context, const AttentionChoice& choice);
// A click with Ctrl or Shift chooses the cell, or gives it up again. Returns true for such a click.
bool choose_cell(const HeadsTab& tab, std::int64_t query, std::int64_t key);
// The map's menu: sorts the heads by this cell (-1: none was pointed at), or by those that were chosen.
void offer_heads_like(const HeadsTab& tab, std::int64_t query, std::int64_t key);
// Frames the chosen cells of a picture whose cells fill `plot`, in points from `origin`, in pixels.
void mark_chosen_cells(const HeadsTab& tab, const figures::Box& plot, const PaneWindow& window, ImVec2 origin);

// --- matrix.cpp: one head, or several of one layer, as heatmap, dots or arcs, as `headlight export --what weights` draws them
figures::MakeFigure matrix_of(const Context& context, const FigureStyle& style, const std::string& title);

// --- cells.cpp
// While "what if" is shown, a click with Shift masks the cell of the pane's head, or unmasks a masked one. Returns true for such
// a click.
// mask_by_hand(tab, pane, 2, 3) handles a click on the cell of query 2 and key 3.
bool mask_by_hand(const HeadsTab& tab, const Pane& pane, std::int64_t query, std::int64_t key);

// A click on the legend's count of cells without a finite number selects the next one of this kind: in the pane's head, then in
// the heads and layers after it; of combined heads in their own matrix.
// count_hit(tab, panes.front(), context.figures.draw(bar, "colorbar"));
void count_hit(const HeadsTab& tab, const Pane& pane, const gl::Hit& hit);

// --- controls.cpp: each draws at ImGui's cursor and moves it below
// The buttons that choose the kind of picture, beginning with the only head's name if `titled`.
// draw_heads_header(tab, panes, 1, 600, true) draws them 600 points wide for one page.
void draw_heads_header(const HeadsTab& tab, const std::vector<Pane>& panes, std::int64_t pages, float width, bool titled);
// The header and the scale in one row. Returns the row's width in points, or 0 if the controls took several rows.
// draw_heads_folded(tab, panes, 1, 600, false) draws no title.
float draw_heads_folded(const HeadsTab& tab, const std::vector<Pane>& panes, std::int64_t pages, float width, bool titled);
// The colour scale and its controls. `column`: in a narrow place, where each group of buttons is a menu. `sums`: says what each
// row sums to.
// draw_heads_scale(tab, panes, 240, true) is for a column 240 points wide.
void draw_heads_scale(const HeadsTab& tab, const std::vector<Pane>& panes, float width, bool column, bool sums = true);

// --- saying_line.cpp: the sentence above the picture of one head of a trained model
// Draws at ImGui's cursor what the head does with the typed sentence, and moves the cursor below. Returns the height in points, 0
// if there is no such sentence. `room` is the tab's height below the cursor.
// draw_heads_saying(tab, panes, 600, 500) draws 600 points wide.
float draw_heads_saying(const HeadsTab& tab, const std::vector<Pane>& panes, float width, float room);

// Takes a comma or colon off the end of a line whose rest was left out. "weight, fixed 0..1," becomes "weight, fixed 0..1".
void end_whole(std::string& line);

// --- inputs.cpp: from pictures to the layouts' inputs
// What is said of a cell under the mouse or of the pinned one in presentation.
CaptionInput caption_of(const Context& context, const AttentionChoice& choice, const Pane& pane, bool titled);
// weights_note(trace, choice) is "random weights, seed 0" and has_random_weights(trace, choice) is true for drawn weights.
std::string weights_note(const Trace& trace, const AttentionChoice& choice);  // random_note() of the shown attention
bool has_random_weights(const Trace& trace, const AttentionChoice& choice);
std::string colormap_of(const ViewState& view);
// The highlighted query and key: hovered here, or hovered elsewhere as a token, or else pinned. `hovered` is false for a pinned
// cell.
struct LitCell {
  std::int64_t query = -1, key = -1;
  bool hovered = false;
};
// lit_of(context, choice) is {2, 3, false} while the cell of query 2 and key 3 is pinned and nothing is hovered.
LitCell lit_of(const Context& context, const AttentionChoice& choice);
// One pane's layout in `window`, the visible part. The view's orientation decides which of `lit` is the row and which the column.
struct PaneLook {
  PaneWindow window;
  LitCell lit;
  bool title = false, legend = false;
  bool brief = false;       // the title is the head's short name: "L3 H5"
  float most_cell = 88;     // a cell's height in points
  float most_width = 0;     // a cell's width; 0: somewhat more than its height
  bool plain_axes = false;  // one plain sentence instead of the names of both axes
  float grain = 1;          // cells are multiples of this many points
  bool names_rows = true;   // as in MatrixInput
  float lean = 0;
  bool whole = false;  // for a file: shows all cells, none combined for the screen
};
// An empty figure while the pane is being computed; `error` as in pane_picture(), `legend` receives the scale.
// pane_figure(context, choice, pane, how, 600, 500) fits the pane into 600 x 500 points.
figures::Figure pane_figure(const Context& context, const AttentionChoice& choice, const Pane& pane, const PaneLook& how,
                            float width, float height, figures::Legend* legend = nullptr, const Error** error = nullptr);
// The numbers of rows and columns in the view's orientation.
// matrix_size(view, choice) is {keys, queries} if the view is transposed, else {queries, keys}.
std::pair<std::int64_t, std::int64_t> matrix_size(const ViewState& view, const AttentionChoice& choice);
// How many cells per side one dot combines in the visible part.
std::int64_t dots_block(const PaneWindow& window);

}  // namespace heads
}  // namespace headlight::views
