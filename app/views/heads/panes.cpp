// The right side of the Heads view: the chosen heads large, side by side or as one, with what the mouse and the arrows do there.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/legend.h"
#include "app/figures/base/panes.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/heads/parts.h"
#include "app/views/heads/query_names.h"
#include "imgui.h"

namespace headlight::views::heads {
namespace {

constexpr float kLeastPane = 220, kLeastMatrix = 112;  // a side: a smaller one cannot be read from its place
constexpr float kPaneGap = 8;
constexpr int kMostPanes = 12;
constexpr float kLow = 560, kWideEnough = 460, kBeside = 150;  // the column of the legend in a low tab
constexpr float kPresentedCell = 160, kPresentedWidth = 240, kLeastPresentedGrid = 64, kLeastBar = 60;  // in presentation mode
constexpr float kPresentedAround = 130, kLeastRow = 18;  // in presentation mode, below a sentence: what is not cells; a row
constexpr float kAloneCell = 120, kAloneWidth = 180;     // of the only picture
constexpr float kBar = 150, kFoldedBar = 116;            // of the colours, beside the controls of a low tab
constexpr std::int64_t kFewRows = 8, kMostInRow = 72;    // of more rows or columns the legend has more to say

Zoom zoom_of(ViewState& view, const AttentionChoice& choice) {
  const auto [rows, columns] = matrix_size(view, choice);
  return {view.zoom, view.pan_x, view.pan_y, rows, columns};
}

PaneWindow window_of(ViewState& view, const AttentionChoice& choice) {
  const auto [rows, columns] = matrix_size(view, choice);
  if (view.zoom <= 1 || own(view).picture == "neuron") return {0, rows, 0, columns};
  return zoom_of(view, choice).window();
}

// How panes stand beside and below each other so that each is as large as can be. Matrices in a line are of the same rows: the
// first names them, for all, and turned labels lean over the next one's room, so that only the last one keeps room for them.
struct Around {
  float names = 0, lean = 0, above = 0;  // of a matrix: room for the rows' names, for labels that lean, and what is not cells
  float least = kLeastPane, least_high = kLeastPane;  // of what counts
};
struct Arranged {
  int columns = 1, rows = 1;
  float width = 0, height = 0;  // of each, without the room for names and labels
  Around around;
  int per_page() const { return columns * rows; }
  float left(int column) const { return column == 0 ? 0 : around.names + static_cast<float>(column) * (width + kPaneGap); }
  float width_of(int column) const {
    return width + (column == 0 ? around.names : 0) + (column + 1 == columns ? around.lean : 0);
  }
};
Arranged arrange_panes(int count, float width, float height, const Around& around) {
  Arranged best;
  best.around = around;
  float largest = 0;
  const float across = width - around.names - around.lean;
  const int most_columns = std::max(1, static_cast<int>((across + kPaneGap) / (around.least + kPaneGap))),
            most_rows = std::max(1, static_cast<int>((height + kPaneGap) / (around.least_high + around.above + kPaneGap)));
  const int shown = std::min({count, most_columns * most_rows, kMostPanes});
  for (int columns = 1; columns <= most_columns; ++columns) {
    const int rows = (shown + columns - 1) / columns;
    if (rows > most_rows) continue;
    const float w = (across - kPaneGap * static_cast<float>(columns - 1)) / static_cast<float>(columns),
                h = (height - kPaneGap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
    if (std::min(w, h - around.above) <= largest) continue;
    largest = std::min(w, h - around.above);
    best.columns = columns;
    best.rows = rows;
    best.width = w;
    best.height = h;
  }
  if (largest == 0) {
    best.width = std::max(1.0f, across);
    best.height = height;
  }
  return best;
}

// What stands around the cells of several matrices side by side: as frame_matrix() has it, near enough.
Around around_matrices(const Context& context, const AttentionChoice& choice, float width, float height) {
  constexpr std::size_t kMeasured = 64;
  const auto widest = [&](const std::vector<std::string>& labels) {
    float most = 0;
    const std::size_t step = std::max<std::size_t>(1, labels.size() / kMeasured);
    for (std::size_t i = 0; i < labels.size(); i += step)
      most = std::max(most, context.measure.width(labels[i], 15, figures::Font::mono));
    return most;
  };
  const bool turned = context.view.transposed;
  const float down = widest(turned ? shown_keys(context, choice) : shown_queries(context, choice)),
              across = std::min(widest(turned ? shown_queries(context, choice) : shown_keys(context, choice)), 0.19f * height);
  Around around;
  around.names = std::min(down, 0.2f * width) + 32;
  around.lean = 0.77f * across + 8;
  around.above = 0.65f * across + 15 + 36 + 24;
  around.least = around.least_high = kLeastMatrix;
  return around;
}

// The width at which arcs between the names on either side, and the numbers beyond these, have room to part.
float least_of_arcs(const Context& context, const AttentionChoice& choice) {
  constexpr float kArcs = 110, kNumbers = 80, kMargins = 48, kMostNames = 160;
  float names = 0;
  for (const auto& labels : {shown_queries(context, choice), shown_keys(context, choice)}) {
    float widest = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(64, labels.size()); ++i)
      widest = std::max(widest, context.measure.width(labels[i], 15, figures::Font::mono));
    names += widest;
  }
  return std::max(kLeastPane, std::min(names, kMostNames) + kArcs + kNumbers + kMargins);
}

// Where the mouse is, as a query and a key; of words their last tokens, which stand for them.
struct Place {
  std::int64_t query = -1, key = -1;
  bool cell() const { return query >= 0 && key >= 0; }
};
Place place_of(const Context& context, const AttentionChoice& choice, const gl::Hit& hit, const PaneWindow& window,
               std::int64_t neuron_query) {
  const ViewState& view = context.view;
  std::int64_t row = -1, column = -1;
  const bool area = hit.tag.kind == figures::Tag::cell_area || hit.tag.kind == figures::Tag::cell;
  if (area) {
    row = hit.row;
    column = hit.column;
  } else if (hit.tag.kind == figures::Tag::row) {
    row = hit.tag.a;
  } else if (hit.tag.kind == figures::Tag::column) {
    column = hit.tag.a;
  }
  if (own(view).picture == "neuron") return {column >= 0 ? neuron_query : -1, column};
  if (own(view).picture == "dots" && (dots_block(window) > 1 || window.first_row > 0 || window.first_column > 0)) {
    // The dots are of the window alone, and may stand for several cells: its first.
    if (row >= 0) row = window.first_row + row * dots_block(window);
    if (column >= 0) column = window.first_column + column * dots_block(window);
  }
  const Place place = view.transposed ? Place{column, row} : Place{row, column};
  const AttentionWords* const words = shown_words(view, choice);
  return words ? Place{words->rows.last_token(place.query), words->columns.last_token(place.key)} : place;
}

// The row or column of a large picture in which a token is: its own, or its word's.
Place shown_place(const ViewState& view, const AttentionChoice& choice, const Place& tokens) {
  const AttentionWords* const words = shown_words(view, choice);
  return words ? Place{words->rows.at(tokens.query), words->columns.at(tokens.key)} : tokens;
}

// The cells' box of a figure, or of arcs the whole.
figures::Box plot_of(const ViewState& view, const figures::Figure& figure) {
  if (own(view).picture != "arcs")
    for (const auto& item : figure.items)
      if (const auto* c = std::get_if<figures::Cells>(&item); c && c->tag.kind == figures::Tag::cell_area) return c->box;
  return {0, 0, figure.width, figure.height};
}

void zoom_and_pan(const HeadsTab& tab, const gl::Hit& hit, const figures::Figure& figure, const PaneWindow& window) {
  ViewState& view = tab.context.view;
  Zoom zoom = zoom_of(view, tab.choice);
  const figures::Box box = plot_of(view, figure);
  if (box.w <= 0 || box.h <= 0) return;
  const bool arcs = own(view).picture == "arcs";  // both of its axes run down the page
  const double down = (hit.at.y - box.y) / box.h, across = arcs ? down : (hit.at.x - box.x) / box.w;
  if (hit.hovered && hit.wheel != 0 && box.contains(hit.at)) zoom.turn_wheel(hit.wheel, across, down, window);
  if (hit.dragging) zoom.drag(arcs ? hit.drag.y / box.h : hit.drag.x / box.w, hit.drag.y / box.h, window);
  if (hit.double_clicked) zoom.double_click(across, down, window);
  zoom.keep_inside();
}

// The arrows move the pinned cell as it lies on the screen; the window follows it.
bool move_pin(const HeadsTab& tab) {
  ViewState& view = tab.context.view;
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key, true) ? 1 : 0; };
  const int right = pressed(ImGuiKey_RightArrow) - pressed(ImGuiKey_LeftArrow),
            down = pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow);
  if (right == 0 && down == 0) return false;
  // In the neuron view the keys stand below each other, whatever the orientation.
  const bool keys_down = own(view).picture == "neuron" || view.transposed;
  const auto [rows, columns] = matrix_size(view, tab.choice);
  const std::int64_t queries = view.transposed ? columns : rows, keys = view.transposed ? rows : columns;
  Place at = shown_place(view, tab.choice, {view.pinned_row, view.pinned_column});
  if (at.cell())
    at = {std::clamp<std::int64_t>(at.query + (keys_down ? right : down), 0, queries - 1),
          std::clamp<std::int64_t>(at.key + (keys_down ? down : right), 0, keys - 1)};
  else
    at = {own(view).picture == "neuron" ? queries - 1 : 0, 0};
  const AttentionWords* const words = shown_words(view, tab.choice);
  view.pinned_row = words ? words->rows.last_token(at.query) : at.query;
  view.pinned_column = words ? words->columns.last_token(at.key) : at.key;
  zoom_of(view, tab.choice).bring_into_sight(view.transposed ? at.key : at.query, view.transposed ? at.query : at.key);
  return true;
}

// Of several heads together, and of all layers, the inspector has no such number: it stands by the cell.
void tell_cell(const HeadsTab& tab, const Pane& pane, const Place& tokens) {
  const Context& context = tab.context;
  const Place place = shown_place(context.view, tab.choice, tokens);
  const auto picture = pane_picture(context, tab.choice, pane);
  if (!picture) return;
  const auto [row, column] = context.view.transposed ? std::pair(place.key, place.query) : std::pair(place.query, place.key);
  if (row >= picture->values.dim(0) || column >= picture->values.dim(1)) return;
  const std::vector<std::int64_t> at{row, column};
  const bool masked = !picture->mask.empty() && picture->mask.at(at) == 0;
  const double value = picture->values.at(at);
  std::string number = masked ? tr("masked") : std::isnan(value) ? tr("not a number") : short_number(value);
  if (!masked && !picture->strongest.empty()) {
    const auto which = static_cast<std::size_t>(picture->strongest.at(at));
    if (which < pane.heads.size()) number += " (" + head_short(tab.choice, pane.heads[which]) + ")";
  }
  ui::tooltip(tab.look,
              fill(tr("{0} → {1}: {2}"), {shown_queries(context, tab.choice)[static_cast<std::size_t>(place.query)],
                                          shown_keys(context, tab.choice)[static_cast<std::size_t>(place.key)], number}),
              pane.title);
}

void pane_hit(const HeadsTab& tab, const Pane& pane, const gl::Hit& hit, const figures::Figure& figure, const PaneWindow& window,
              std::int64_t neuron_query) {
  const Context& context = tab.context;
  const AttentionChoice& choice = tab.choice;
  ViewState& view = context.view;
  // While the arrows move the pinned cell, a mouse that rests over another one does not hide it.
  HeadsTransient none, &kept = context.transient ? context.transient->of<HeadsTransient>() : none;
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  if (moved.x != 0 || moved.y != 0 || ImGui::IsMouseDown(ImGuiMouseButton_Left)) kept.mouse_rests = false;
  if (hit.focused && move_pin(tab)) kept.mouse_rests = true;
  if (hit.hovered && !kept.mouse_rests) {
    const Place place = place_of(context, choice, hit, window, neuron_query);
    context.hover.next.words = shown_words(view, choice) != nullptr;
    context.hover.next.row = place.query;
    context.hover.next.column = place.key;
    const HeadRef head = pane.heads.front();
    const bool current = choice.layers[static_cast<std::size_t>(head.layer)] == choice.site && head.head == choice.head;
    if (pane.kind == Pane::one && !current) {
      context.hover.next.layer = head.layer;
      context.hover.next.head = head.head;
      // Its own numbers, not the current head's.
      if (place.cell())
        context.hover.next.value = {
            context.trace->name_at(choice.layers[static_cast<std::size_t>(head.layer)]->prefix, role_of(view, pane)),
            {choice.batch, head.head, place.query, place.key}};
    }
    if (place.cell() && pane.kind != Pane::one && !view.presentation) tell_cell(tab, pane, place);
    // A click is a press and a release in one place: a drag pans and pins nothing. The second of a double click neither, and the
    // first one's pin is taken back: who wants to see the whole keeps what was pinned.
    const ImGuiIO& io = ImGui::GetIO();
    const float threshold = io.MouseDragThreshold;
    if (context.transient) {
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) kept.pressed = true;
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && io.MouseClickedCount[0] == 1) {
        kept.pinned_row = view.pinned_row;
        kept.pinned_column = view.pinned_column;
      }
      if (hit.double_clicked) {
        view.pinned_row = kept.pinned_row;
        view.pinned_column = kept.pinned_column;
      }
    }
    const bool released = ImGui::IsMouseReleased(ImGuiMouseButton_Left) && (kept.pressed || !context.transient);
    if (place.cell() && released && io.MouseClickedLastCount[0] < 2 && io.MouseDragMaxDistanceSqr[0] < threshold * threshold &&
        !mask_by_hand(tab, pane, place.query, place.key) && !choose_cell(tab, place.query, place.key)) {
      const Place pinned = shown_place(view, choice, {view.pinned_row, view.pinned_column}),
                  clicked = shown_place(view, choice, place);
      const bool again = pinned.query == clicked.query && pinned.key == clicked.key && current;
      view.pinned_row = again ? -1 : place.query;
      view.pinned_column = again ? -1 : place.key;
      // The pinned cell is of the head that was clicked, unless that would take a previewed picture away.
      const HeadRef now{std::find(choice.layers.begin(), choice.layers.end(), choice.site) - choice.layers.begin(), choice.head};
      if (pane.kind == Pane::one && !current && is_pinned(view, now)) {
        view.layer = head.layer;
        view.head = head.head;
      }
    }
    // In arcs a click on a token holds its arcs until the next click on it.
    if (own(view).picture == "arcs" && !place.cell() && (place.query >= 0 || place.key >= 0) && released &&
        io.MouseClickedLastCount[0] < 2 && io.MouseDragMaxDistanceSqr[0] < threshold * threshold) {
      const bool again = view.pinned_row == place.query && view.pinned_column == place.key;
      view.pinned_row = again ? -1 : place.query;
      view.pinned_column = again ? -1 : place.key;
    }
  }
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) && !ImGui::IsMouseReleased(ImGuiMouseButton_Left)) kept.pressed = false;
  if (own(view).picture != "neuron") zoom_and_pan(tab, hit, figure, window);
}

// That of the inspector, where none is pointed at or pinned.
std::int64_t neuron_query_of(const Context& context, const LitCell& lit, const AttentionChoice& choice) {
  return lit.query >= 0 ? lit.query : chosen_query(context, choice);
}

}  // namespace

figures::Figure figure_of_heads(const Context& context, float width, float height) {
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site || choice.site->queries == 0 || choice.site->keys == 0) return {};
  const auto panes = panes_of(context, choice);
  const auto [rows, columns] = matrix_size(context.view, choice);
  PaneLook how;
  how.window = {0, rows, 0, columns};
  how.title = how.legend = how.whole = true;
  if (own(context.view).picture == "neuron")
    how.lit.query = context.view.pinned_row >= 0 ? context.view.pinned_row : chosen_query(context, choice);
  std::vector<figures::Figure> list;
  for (const Pane& pane : panes) {
    figures::Figure figure = pane_figure(context, choice, pane, how, width, height);
    if (figure.items.empty()) return {};
    // Arrays of several heads in one file need names of their own.
    if (panes.size() > 1)
      for (figures::Data& data : figure.data) data.name += "_" + head_name(choice, pane.heads.front());
    list.push_back(std::move(figure));
  }
  if (list.size() == 1) return list.front();
  const int across = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(list.size()))));
  figures::Figure all = figures::side_by_side(std::move(list), across, 24);
  all.title = fill(tr("{} heads side by side"), {std::to_string(panes.size())});
  return all;
}

void draw_heads_picture(const Shared& shared, float width, float height) {
  const HeadsTab& tab = *shared;
  const Context& context = tab.context;
  const ui::Look& look = tab.look;
  const AttentionChoice& choice = tab.choice;
  const float top = ImGui::GetCursorPosY(), start = ImGui::GetCursorPosX();
  const std::vector<Pane> panes = panes_of(context, choice);
  const bool matrix = own(context.view).picture == "heatmap" || own(context.view).picture == "dots";
  const bool presented = context.view.presentation;
  const bool compact = presented || tab.tight;
  const auto [matrix_rows, matrix_columns] = matrix_size(context.view, choice);
  // Where the tab is low, the legend stands beside the picture, or under it in one row with the controls.
  const bool in_row = panes.size() == 1 && !compact && height < kLow && width >= kWideEnough &&
                      own(context.view).picture != "neuron" && std::max(matrix_rows, matrix_columns) <= kMostInRow;
  const bool beside =
      panes.size() == 1 && !in_row &&
      (compact ? width >= 400 && own(context.view).picture != "neuron" : height < kLow && width >= kWideEnough && matrix);
  const float column = compact ? std::clamp(width * 0.26f, 150.0f, 270.0f) : kBeside;
  const bool strip = context.parts && context.parts->places.contains("strip");  // it has the thumbnails
  // Its `below` is the height of the legend in the last frame: the legend's height is known only when the picture is laid out.
  HeadsTransient none, &kept = context.transient ? context.transient->of<HeadsTransient>() : none;
  const std::int64_t before = kept.pages;  // pages in the last frame
  const float least_grid = presented ? kLeastPresentedGrid : kLeastGrid;
  const auto left_over = [&] { return height - (ImGui::GetCursorPosY() - top) / context.scale; };
  const auto menu = [&](const char* id, const gl::Hit& hit) {
    figure_menu(context, id, hit, [&] { return figure_of_heads(context, 900, 820); });
  };

  // The sentence and the controls above the picture.
  const bool fits = !presented || (height - kPresentedAround) / static_cast<float>(matrix_rows) >= kLeastRow;
  const float said = fits ? draw_heads_saying(tab, panes, width, height) : 0;  // the height of the sentence
  const bool folded = in_row && said > 0;  // under a low map with a sentence above it one row has all controls
  float used = 0;                          // of the row of controls; 0: there is no room in it
  if (tab.tight)
    used = draw_heads_folded(tab, panes, before, width, true);
  else if (!presented && !folded)
    draw_heads_header(tab, panes, before, width, said <= 0);

  // With a column beside it there is nothing below.
  const float room = std::max(80.0f, left_over() - (beside ? 0.0f : kept.below));
  const float across = beside ? width - column - 16 : width;
  Around around;
  if (matrix && panes.size() > 1) around = around_matrices(context, choice, across, room);
  if (own(context.view).picture == "arcs") around.least = least_of_arcs(context, choice);
  const Arranged arranged = arrange_panes(static_cast<int>(panes.size()), across, room, around);
  const auto all = static_cast<std::int64_t>(panes.size()), pages = (all + arranged.per_page() - 1) / arranged.per_page();
  std::int64_t& page = kept.page;
  page = std::clamp<std::int64_t>(page, 0, pages - 1);
  if (context.transient) {
    // The page with the current head is shown when it changes.
    const HeadRef now{context.view.layer, context.view.head};
    if (pages != before || kept.paged_for != now)
      for (std::int64_t i = 0; i < all; ++i)
        if (panes[static_cast<std::size_t>(i)].heads.front() == now) page = i / arranged.per_page();
    kept.paged_for = now;
    kept.pages = pages;
  }

  PaneLook how;
  how.window = window_of(context.view, choice);
  how.lit = lit_of(context, choice);
  how.title = panes.size() > 1 || (presented && !beside);
  how.plain_axes = presented && panes.size() == 1;
  if (panes.size() == 1) {
    // Of many rows none is as high as the default anyway, which leaves turned labels more of a low map.
    if (!folded || how.window.rows <= kFewRows) how.most_cell = presented ? kPresentedCell : kAloneCell;
    how.most_width = presented ? kPresentedWidth : kAloneWidth;
  } else if (presented) {
    how.most_cell = kPresentedCell;
  }
  if (around.names > 0) {  // cells of one size in all of them
    const std::int64_t block = own(context.view).picture == "dots" ? dots_block(how.window) : 1;
    const auto columns = static_cast<float>(std::max<std::int64_t>(1, (how.window.columns + block - 1) / block));
    how.most_cell = how.most_width = std::min(how.most_cell, (arranged.width - 8) / columns);
  }
  if (panes.size() > 1)
    for (const Pane& pane : panes)
      how.brief |= context.measure.width(pane.title, 18, figures::Font::words_bold) + 30 > arranged.width;
  how.grain = 1 / context.scale;
  const std::int64_t neuron_query = neuron_query_of(context, how.lit, choice);
  if (own(context.view).picture == "neuron") how.lit.query = neuron_query;

  const float pictures_top = ImGui::GetCursorPosY();
  float end = pictures_top;
  figures::Legend legend;
  figures::Box plot;
  ImVec2 low{1e9f, 1e9f}, high{-1e9f, -1e9f};  // of all pictures, in pixels
  for (std::int64_t i = page * arranged.per_page(); i < std::min(all, (page + 1) * arranged.per_page()); ++i) {
    const Pane& pane = panes[static_cast<std::size_t>(i)];
    const auto slot = static_cast<int>(i - page * arranged.per_page()), line = slot / arranged.columns;
    const Error* error = nullptr;
    const int place = slot % arranged.columns;
    how.names_rows = around.names <= 0 || place == 0;
    how.lean = around.names > 0 && place + 1 < arranged.columns ? around.lean : 0;
    figures::Figure figure = pane_figure(context, choice, pane, how, arranged.width_of(place), arranged.height, &legend, &error);
    ImGui::SetCursorPos(
        {start + look.px(arranged.left(place)), pictures_top + look.px(static_cast<float>(line) * (arranged.height + kPaneGap))});
    if (figure.items.empty()) {
      ui::words(look, error ? spoken_in_window(*error) : std::string(tr("making the picture …")),
                error ? look.theme.wrong : look.theme.secondary);
      end = std::max(end, ImGui::GetCursorPosY());
      continue;
    }
    figure.background.a = 0;
    const std::string id = "head " + std::to_string(slot);
    const gl::Hit hit = context.figures.draw(figure, id.c_str(), true);
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    low = {std::min(low.x, a.x), std::min(low.y, a.y)};
    high = {std::max(high.x, b.x), std::max(high.y, b.y)};
    if (slot == 0) {
      plot = plot_of(context.view, figure);
      if (context.parts) {
        const Parts::Place cells{a.x + look.px(plot.x), a.y + look.px(plot.y), a.x + look.px(plot.x + plot.w),
                                 a.y + look.px(plot.y + plot.h)};
        context.parts->places["heads:cells"] = cells;
        context.parts->maps.push_back(cells);
      }
    }
    mark_chosen_cells(tab, plot_of(context.view, figure), how.window, a);
    if (hit.right_clicked) {
      const Place under = place_of(context, choice, hit, how.window, neuron_query);
      kept.menu_query = under.cell() ? under.query : -1;
      kept.menu_key = under.key;
    }
    figure_menu(
        context, (id + " menu").c_str(), hit, [&] { return figure_of_heads(context, 900, 820); },
        [&] { offer_heads_like(tab, kept.menu_query, kept.menu_key); });
    pane_hit(tab, pane, hit, figure, how.window, neuron_query);
    count_hit(tab, pane, hit);
    end = std::max(end, ImGui::GetCursorPosY());
  }
  if (context.parts && high.x > low.x) context.parts->add("heads:picture", low.x, low.y, high.x, high.y);

  // In a tight place the legend stands beside the controls if all of it fits there, without the notes.
  bool above = false;
  if (used > 0) {
    figures::Legend small = legend;
    if (small.colormap.empty() && small.discs.empty()) {  // arcs: what is left out must be said, how wide they are need not
      if (!small.notes.empty()) small.notes.erase(small.notes.begin());
      if (!small.notes.empty()) small.notes.pop_back();  // whose weights, which the row of pickers says
    } else {
      small.notes.clear();
    }
    small.masked = false;
    const float most = width - used - 24;
    above = figures::legend_width(small, 1e6f, context.measure) <= most &&
            figures::legend_height(small, most, context.measure) <= ui::kPillHeight + 2;
    if (above) legend = std::move(small);
  }
  const float legend_left = above ? start + look.px(used + 12) : beside ? start + look.px(width - column) : start;
  const float legend_width = above ? width - used - 12 : beside ? column : width;
  ImGui::SetCursorPos({legend_left, above ? top + look.px(3) : beside ? pictures_top + look.px(8) : end});

  float wished_grid = kLeastGrid, needed_grid = least_grid;
  if (presented && beside) {
    CaptionInput input = caption_of(context, choice, panes.front(), said <= 0);
    const auto caption = [&] { return caption_figure(input, column, context.theme, context.measure); };
    // The thumbnails are whole where that takes a smaller number and no notes.
    const Size all_heads = room_of_all_heads(context, choice, column);
    input.low = true;
    figures::Legend bare = legend;
    bare.masked = false;
    bare.range_words.clear();
    bare.notes.clear();
    const float most = left_over() - caption().height - 8 - figures::legend_height(bare, column, context.measure);
    if (!strip && all_heads.w <= column && all_heads.h <= most) wished_grid = needed_grid = all_heads.h;
    input.low = false;
    input.low = left_over() - caption().height - kLeastBar < wished_grid;
    const gl::Hit hit = context.figures.draw(caption(), "caption");
    menu("caption menu", hit);
    ImGui::SetCursorPosX(legend_left);
  }

  std::vector<std::string> after;  // notes below the controls, which stay in place if there are more notes
  if (in_row) {
    // The controls of the colours, and the colours, below the picture.
    const float bar_wide = folded ? kFoldedBar : kBar;
    ImGui::SetCursorPos({start, end + look.px(4)});
    const float row = ImGui::GetCursorPosY();
    if (folded)
      draw_heads_folded(tab, panes, before, width - bar_wide - 16, false);
    else
      draw_heads_scale(tab, panes, width - bar_wide - 16, true, context.view.zoom > 1);
    const float after_row = ImGui::GetCursorPosY();
    legend.range_words.clear();
    legend.notes.resize(std::min<std::size_t>(legend.notes.size(), matrix ? 0 : 2));
    if (legend.notes.size() == 2) legend.notes.erase(legend.notes.begin());  // of arcs: how many are left out
    legend.heads.clear();
    legend.brief = true;
    ImGui::SetCursorPos({start + look.px(width - bar_wide), row});
    const gl::Hit hit =
        context.figures.draw(figures::legend_figure(legend, 0, bar_wide, bar_wide, context.theme, context.measure), "colorbar");
    name_part(context, "heads:colorbar");
    menu("colorbar menu", hit);
    count_hit(tab, panes.front(), hit);
    ImGui::SetCursorPos({start, std::max(after_row, ImGui::GetCursorPosY())});
    ImGui::Dummy({0, 0});
  } else {
    if (panes.size() > 1) {  // each has its hue beside its title
      legend.heads.clear();
      legend.disc_color = context.theme.secondary;
      if (presented && pages > 1)
        legend.notes.push_back(fill(tr("page {} of {}"), {std::to_string(page + 1), std::to_string(pages)}));
    }
    if (!legend.colormap.empty() || !legend.discs.empty() || !legend.notes.empty()) {
      const std::string known = weights_note(*context.trace, choice);  // it stands beside the thumbnails already
      std::vector<std::string> notes;
      if (beside && !above) {  // the words do not fit between the ends of so short a bar, nor beside the discs
        legend.notes.insert(legend.notes.begin(), legend.range_words);
        legend.range_words.clear();
        legend.brief = true;
        if (legend.discs.size() > 3) legend.discs.erase(legend.discs.begin() + 1, legend.discs.end() - 2);
      }
      std::size_t range_lines = 0;  // how the numbers became colours
      for (std::string& note : legend.notes) {
        if (!known.empty() && note.starts_with(known)) note.erase(0, std::min(note.size(), known.size() + 2));
        for (std::string& line : figures::wrap(note, legend_width, 13, figures::Font::words, context.measure))
          if (!line.empty()) notes.push_back(std::move(line));
        if (range_lines == 0) range_lines = notes.size();
      }
      legend.notes = std::move(notes);
      // Beside a low picture the last of the notes gives way, also to the thumbnails: the export has them all.
      const float rest = left_over();
      const auto grid = [&] { return rest - 8 - figures::legend_height(legend, column, context.measure); };
      while (presented && beside && !above && !legend.notes.empty() && grid() < wished_grid) legend.notes.pop_back();
      if (presented && beside && !above && grid() < needed_grid) legend.masked = false;
      while (beside && !above && legend.notes.size() > 1 && figures::legend_height(legend, column, context.measure) > rest)
        legend.notes.pop_back();
      if (!legend.notes.empty()) end_whole(legend.notes.back());
      if (beside && !compact && legend.notes.size() > range_lines) {
        after.assign(legend.notes.begin() + static_cast<std::ptrdiff_t>(range_lines), legend.notes.end());
        legend.notes.resize(range_lines);
      }
      const bool under_cells = !beside && !above && own(context.view).picture != "arcs";
      const figures::Figure bar = figures::legend_figure(legend, under_cells ? plot.x : 0,
                                                         above    ? legend_width
                                                         : beside ? column
                                                                  : plot.w,
                                                         legend_width, context.theme, context.measure);
      const gl::Hit hit = context.figures.draw(bar, "colorbar");
      name_part(context, "heads:colorbar");
      menu("colorbar menu", hit);
      count_hit(tab, panes.front(), hit);
    }
  }

  // The controls of the colours in the column, and the notes below them.
  if (beside && !compact) {
    ImGui::SetCursorPos({legend_left, ImGui::GetCursorPosY() + look.px(4)});
    draw_heads_scale(tab, panes, column, true);
    figures::Legend tail;
    tail.notes = std::move(after);
    const float rest = left_over() - 8;
    while (!tail.notes.empty() && figures::legend_height(tail, column, context.measure) > rest) tail.notes.pop_back();
    if (!tail.notes.empty()) {
      ImGui::SetCursorPos({legend_left, ImGui::GetCursorPosY() + look.px(8)});
      const gl::Hit hit =
          context.figures.draw(figures::legend_figure(tail, 0, column, column, context.theme, context.measure), "notes");
      menu("notes menu", hit);
    }
  }

  if (compact && beside && !strip) {
    const float taken = ((above ? pictures_top : ImGui::GetCursorPosY()) - top) / context.scale + (above ? 0.0f : 8.0f);
    if (height - taken >= least_grid) {
      ImGui::SetCursorPos({start + look.px(width - column), top + look.px(taken)});
      if (ImGui::BeginChild("grid side", {look.px(column), look.px(height - taken)}, ImGuiChildFlags_NavFlattened,
                            ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground))
        draw_heads_grid(shared, column, height - taken);
      ImGui::Dummy({0, 0});
      ImGui::EndChild();
    }
  }

  if (!in_row) ImGui::SetCursorPos({start, beside || above ? end : ImGui::GetCursorPosY()});
  if (!compact && !beside && !in_row) draw_heads_scale(tab, panes, width, false);
  kept.below = std::ceil((ImGui::GetCursorPosY() - end) / context.scale) + 4;
}

}  // namespace headlight::views::heads
