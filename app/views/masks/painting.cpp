// Painting on the pictures of the Masks view: a stroke lives in Transient until it is released, then it is one edit.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/text/language.h"
#include "app/views/base/zoom.h"
#include "app/views/masks/parts.h"
#include "engine/attention/masks/combined.h"
#include "engine/core/sorting.h"
#include "imgui.h"

namespace headlight::views::masked {

using namespace views;

namespace {

using figures::CellArea;

// ---- the stroke, in rows and columns of the picture as it is shown ----

enum Phase { kNone = 0, kDragging, kByKeyboard, kReleased };  // released: until the trace has caught up

struct Cell {
  std::int64_t row = 0, column = 0;
  bool operator==(const Cell&) const = default;
};

// What the tab keeps of painting from frame to frame. With the keyboard a cursor is moved over the picture.
struct Stroke {
  Phase phase = kNone;
  Cell from, to;
  std::vector<Cell> path;  // the cells that a brush went over
  Cell cursor;             // the keyboard's
  bool cursor_shown = false;
  bool first_corner = false;  // of a rectangle, set with the keyboard: the second one paints it

  void begin(Phase phase_now, Cell at) {
    phase = phase_now;
    from = to = at;
    path = {at};
  }
  // Every cell between the last one and `at`, so that a quick hand leaves no holes.
  void go_to(Cell at) {
    const Cell last = to;
    if (at == last) return;
    const std::int64_t steps = std::max(std::abs(at.row - last.row), std::abs(at.column - last.column));
    for (std::int64_t i = 1; i <= steps; ++i)
      path.push_back({last.row + (at.row - last.row) * i / steps, last.column + (at.column - last.column) * i / steps});
    to = at;
  }
  void end() {
    phase = kNone;
    path.clear();
  }
  std::vector<CellArea> areas(const std::string& tool, std::int64_t rows, std::int64_t columns) const {
    const Cell a = from, b = to;
    const std::int64_t row = std::min(a.row, b.row), column = std::min(a.column, b.column);
    const std::int64_t high = std::abs(a.row - b.row) + 1, wide = std::abs(a.column - b.column) + 1;
    if (tool == "row") return {{row, 0, high, columns}};
    if (tool == "column") return {{0, column, rows, wide}};
    if (tool != "cell") return {{row, column, high, wide}};
    std::vector<Cell> visited = path;
    const auto before = [](const Cell& x, const Cell& y) { return x.row != y.row ? x.row < y.row : x.column < y.column; };
    sort_stably(visited, before);
    visited.erase(std::unique(visited.begin(), visited.end()), visited.end());
    std::vector<CellArea> out;
    for (const Cell& c : visited) {
      if (!out.empty() && out.back().row == c.row && out.back().column + out.back().columns == c.column)
        ++out.back().columns;
      else
        out.push_back({c.row, c.column, 1, 1});
    }
    return out;
  }
};

// The window into a large matrix, shared with the Heads tab through the view.
Zoom zoom_of(ViewState& view, std::int64_t rows, std::int64_t columns) {
  return {view.zoom, view.pan_x, view.pan_y, rows, columns};
}

// What is lit: the cell hovered anywhere, or a token hovered elsewhere.
void light(const Context& context, const AttentionChoice& choice, figures::MaskPicturesInput& input) {
  const Hot& now = context.hover.now;
  std::int64_t query = now.row, key = now.column;
  if (now.byte_start >= 0) {
    query = hovered_token(*context.trace, choice.site->rows_are_targets, choice.batch, now);
    key = hovered_token(*context.trace, choice.site->columns_are_targets, choice.batch, now);
  }
  if (choice.words) {
    query = choice.words->rows.at(query);
    key = choice.words->columns.at(key);
  }
  input.hot_row = context.view.transposed ? key : query;
  input.hot_column = context.view.transposed ? query : key;
}

// Words of one axis as the run of their tokens.
WordGroups::Word tokens_of(const WordGroups& words, std::int64_t first, std::int64_t count) {
  const auto at = [&](std::int64_t i) {
    return words.words[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, words.size() - 1))];
  };
  return {at(first).begin, at(first + count - 1).end, {}};
}
}  // namespace

CellRange in_tokens(const AttentionChoice& choice, const CellRange& range) {
  if (!choice.words) return range;
  const auto rows = tokens_of(choice.words->rows, range.query, range.queries),
             columns = tokens_of(choice.words->columns, range.key, range.keys);
  return {rows.begin, columns.begin, rows.end - rows.begin, columns.end - columns.begin};
}

namespace {

// Lights a query and a key of the picture everywhere: of words their last tokens, which stand for them.
void light_everywhere(const MaskTab& tab, std::int64_t query, std::int64_t key) {
  const auto& words = tab.choice.words;
  Hot& next = tab.context.hover.next;
  next.words = words != nullptr;
  next.row = words ? words->rows.last_token(query) : query;
  next.column = words ? words->columns.last_token(key) : key;
}

void release(const MaskTab& tab, Stroke& stroke, std::int64_t rows, std::int64_t columns) {
  const Context& context = tab.context;
  const AttentionSite& site = *tab.choice.site;
  std::vector<CellRange> ranges;
  for (const CellArea& area : stroke.areas(own(context).tool, rows, columns))
    ranges.push_back(in_tokens(tab.choice, context.view.transposed ? CellRange{area.column, area.row, area.columns, area.rows}
                                                                   : CellRange{area.row, area.column, area.rows, area.columns}));
  const bool allow = own(context).allows;
  if (allow && !context.computing)
    if (const std::int64_t masked = still_masked(site.mask, tab.choice.batch, ranges); masked > 0 && context.say)
      context.say(fill(tr("{} of these cells stay masked: another layer forbids them"), {std::to_string(masked)}));
  Document next = painted(context.document, site.queries, site.keys, ranges, allow);
  stroke.phase = next == context.document ? kNone : kReleased;
  context.edit(std::move(next));
}

// The picture whose cells lie under the mouse, or the nearest to it.
const figures::Cells* cells_at(const figures::Figure& figure, figures::Point at) {
  const figures::Cells* nearest = nullptr;
  float least = 0;
  for (const auto& item : figure.items)
    if (const auto* c = std::get_if<figures::Cells>(&item); c && c->tag.kind == figures::Tag::cell_area) {
      const float x = std::max({0.0f, c->box.x - at.x, at.x - c->box.x - c->box.w}),
                  y = std::max({0.0f, c->box.y - at.y, at.y - c->box.y - c->box.h});
      if (nearest && std::hypot(x, y) >= least) continue;
      nearest = c;
      least = std::hypot(x, y);
    }
  return nearest;
}

Cell nearest_cell(const figures::Cells& cells, figures::Point at) {
  const auto index = [](float offset, float size, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(offset / size * static_cast<float>(count))), 0,
                                    count - 1);
  };
  return {cells.tag.a + index(at.y - cells.box.y, cells.box.h, cells.rows),
          cells.tag.b + index(at.x - cells.box.x, cells.box.w, cells.columns)};
}

void paint_with_mouse(const MaskTab& tab, Stroke& stroke, const gl::Hit& hit, const figures::Figure& figure, bool active,
                      bool released, std::int64_t rows, std::int64_t columns) {
  ViewState& view = tab.context.view;
  const figures::Cells* cells = cells_at(figure, hit.at);
  if (!cells) return;
  const bool moves = ImGui::GetIO().KeyShift && view.zoom > 1;  // with Shift the mouse moves the picture
  const bool on_cells = hit.tag.kind == figures::Tag::cell_area;
  if (hit.clicked && on_cells && !moves && can_paint(tab.choice)) {
    stroke.begin(kDragging, nearest_cell(*cells, hit.at));
    return;
  }
  if (stroke.phase == kDragging) {
    if (active) stroke.go_to(nearest_cell(*cells, hit.at));
    if (released)
      release(tab, stroke, rows, columns);
    else if (!active)
      stroke.end();
    return;
  }
  const bool middle = hit.hovered && ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 0);
  if (middle || (active && moves)) {
    const ImVec2 delta = ImGui::GetIO().MouseDelta;
    zoom_of(view, rows, columns)
        .drag(static_cast<double>(delta.x / tab.context.scale / cells->box.w),
              static_cast<double>(delta.y / tab.context.scale / cells->box.h), window_of(*cells));
  }
  if (hit.hovered && hit.wheel != 0 && on_cells)
    zoom_of(view, rows, columns)
        .turn_wheel(hit.wheel, static_cast<double>((hit.at.x - cells->box.x) / cells->box.w),
                    static_cast<double>((hit.at.y - cells->box.y) / cells->box.h), window_of(*cells));
}

// With the keyboard on the picture: arrows move the cursor (Shift: by ten), Space or Enter paints, Escape gives up.
void paint_with_keys(const MaskTab& tab, Stroke& stroke, bool focused, std::int64_t rows, std::int64_t columns) {
  const Context& context = tab.context;
  if (!focused) {
    stroke.cursor_shown = false;
    if (stroke.phase == kByKeyboard) {
      stroke.end();
      stroke.first_corner = false;
    }
    return;
  }
  if (ImGui::GetIO().NavVisible) stroke.cursor_shown = true;
  Cell cursor{std::clamp<std::int64_t>(stroke.cursor.row, 0, rows - 1),
              std::clamp<std::int64_t>(stroke.cursor.column, 0, columns - 1)};
  const Cell before = cursor;
  if (!ImGui::GetIO().KeyAlt && !ImGui::GetIO().KeyCtrl) {
    const std::int64_t step = ImGui::GetIO().KeyShift ? 10 : 1;
    if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) cursor.column -= step;
    if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) cursor.column += step;
    if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) cursor.row -= step;
    if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) cursor.row += step;
  }
  cursor = {std::clamp<std::int64_t>(cursor.row, 0, rows - 1), std::clamp<std::int64_t>(cursor.column, 0, columns - 1)};
  stroke.cursor = cursor;
  if (!(cursor == before)) {
    zoom_of(context.view, rows, columns).bring_into_sight(cursor.row, cursor.column);
    if (stroke.phase == kByKeyboard) stroke.go_to(cursor);
    stroke.cursor_shown = true;
    if (context.frame_in) context.frame_in(0);
  }
  if (stroke.cursor_shown && context.hover.next.row < 0 && context.hover.next.column < 0)
    light_everywhere(tab, context.view.transposed ? cursor.column : cursor.row,
                     context.view.transposed ? cursor.row : cursor.column);
  const bool pressed = ImGui::IsKeyPressed(ImGuiKey_Space, false) || ImGui::IsKeyPressed(ImGuiKey_Enter, false);
  if (!pressed || !can_paint(tab.choice) || stroke.phase == kDragging) return;
  stroke.cursor_shown = true;
  // A rectangle has two corners; everything else is painted at once.
  if (stroke.phase != kByKeyboard)
    stroke.begin(kByKeyboard, cursor);
  else
    stroke.go_to(cursor);
  if (own(context).tool == "rectangle" && !stroke.first_corner) {
    stroke.first_corner = true;
    return;
  }
  stroke.first_corner = false;
  release(tab, stroke, rows, columns);
}

}  // namespace

// What the screen shows on the pictures besides the figure that is exported: the stroke, the cursor, the window that is zoomed
// to.
figures::MaskPicturesInput input_on_screen(const MaskTab& tab) {
  Stroke& stroke = tab.context.transient->of<Stroke>();
  const Context& context = tab.context;
  ViewState& view = context.view;
  figures::MaskPicturesInput input = canvas_input(context, tab.choice);
  input.with_data = false;
  if (view.presentation) {
    input.most_cell = 160;
    input.tight_numbers = true;
    input.notes.clear();  // said beside the tabs
  }
  light(context, tab.choice, input);
  // The trace has what was painted: the mark of the stroke goes.
  if (stroke.phase == kReleased && (context.error || context.trace->document().custom_mask == context.document.custom_mask))
    stroke.end();
  if (stroke.phase != kNone) {
    input.stroke = stroke.areas(own(context).tool, input.rows, input.columns);
    input.stroke_allows = own(context).allows;
  }
  if (stroke.cursor_shown) {
    input.cursor_row = std::min(stroke.cursor.row, input.rows - 1);
    input.cursor_column = std::min(stroke.cursor.column, input.columns - 1);
  }
  if (view.zoom > 1) {
    const PaneWindow seen = zoom_of(view, input.rows, input.columns).window();
    input.first_row = seen.first_row;
    input.row_count = seen.rows;
    input.first_column = seen.first_column;
    input.column_count = seen.columns;
  }
  return input;
}

// The mouse and the keys on the pictures: what is painted, zoomed and lit.
void follow_hands(const MaskTab& tab, const gl::Hit& hit, const figures::Figure& figure,
                  const figures::MaskPicturesInput& input) {
  Stroke& stroke = tab.context.transient->of<Stroke>();
  const Context& context = tab.context;
  ViewState& view = context.view;
  const bool active = ImGui::IsItemActive(), released = ImGui::IsItemDeactivated();
  if (stroke.phase != kNone && stroke.phase != kReleased && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    stroke.end();
    stroke.first_corner = false;
  }
  paint_with_mouse(tab, stroke, hit, figure, active, released, input.rows, input.columns);
  if (hit.hovered && stroke.phase != kDragging) {
    std::int64_t row = hit.row, column = hit.column;
    if (hit.tag.kind == figures::Tag::row) row = hit.tag.a;
    if (hit.tag.kind == figures::Tag::column) column = hit.tag.a;
    light_everywhere(tab, view.transposed ? column : row, view.transposed ? row : column);
  }
  if (const figures::Cells* cells = cells_at(figure, hit.at); cells && hit.clicked && hit.tag.kind == figures::Tag::cell_area) {
    stroke.cursor = nearest_cell(*cells, hit.at);
    stroke.cursor_shown = false;  // the mouse shows where it is itself
  }
  paint_with_keys(tab, stroke, hit.focused, input.rows, input.columns);
  zoom_of(view, input.rows, input.columns).keep_inside();
}

}  // namespace headlight::views::masked
