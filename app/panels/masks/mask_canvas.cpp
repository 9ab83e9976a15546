// The large pictures of the Masks tab, and painting on them: a stroke lives in Transient until it is released, then it is one
// edit.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/figures/attention/word_axes.h"
#include "app/gl/figure_view.h"
#include "app/panels/masks/mask_effect.h"
#include "app/panels/masks/mask_tab.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/shared/query_axis.h"
#include "app/panels/shared/zoom.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "engine/attention/masks/combined.h"
#include "imgui.h"

namespace headlight::panels {
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
    std::sort(visited.begin(), visited.end(), before);
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
CellRange in_tokens(const AttentionChoice& choice, const CellRange& range) {
  if (!choice.words) return range;
  const auto rows = tokens_of(choice.words->rows, range.query, range.queries),
             columns = tokens_of(choice.words->columns, range.key, range.keys);
  return {rows.begin, columns.begin, rows.end - rows.begin, columns.end - columns.begin};
}

// Lights a query and a key of the picture everywhere: of words their last tokens, which stand for them.
void light_everywhere(MaskTab& tab, std::int64_t query, std::int64_t key) {
  const auto& words = tab.choice.words;
  Hot& next = tab.context.hover.next;
  next.words = words != nullptr;
  next.row = words ? words->rows.last_token(query) : query;
  next.column = words ? words->columns.last_token(key) : key;
}

void release(MaskTab& tab, Stroke& stroke, std::int64_t rows, std::int64_t columns) {
  Context& context = tab.context;
  const AttentionSite& site = *tab.choice.site;
  std::vector<CellRange> ranges;
  for (const CellArea& area : stroke.areas(context.view.masks.tool, rows, columns))
    ranges.push_back(in_tokens(tab.choice, context.view.transposed ? CellRange{area.column, area.row, area.columns, area.rows}
                                                                   : CellRange{area.row, area.column, area.rows, area.columns}));
  const bool allow = context.view.masks.allows;
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

void paint_with_mouse(MaskTab& tab, Stroke& stroke, const gl::Hit& hit, const figures::Figure& figure, bool active, bool released,
                      std::int64_t rows, std::int64_t columns) {
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
void paint_with_keys(MaskTab& tab, Stroke& stroke, bool focused, std::int64_t rows, std::int64_t columns) {
  Context& context = tab.context;
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
  if (context.view.masks.tool == "rectangle" && !stroke.first_corner) {
    stroke.first_corner = true;
    return;
  }
  stroke.first_corner = false;
  release(tab, stroke, rows, columns);
}

// What is shown: before, after, difference or all of them.
void draw_shows(MaskTab& tab) {
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  ViewState& view = context.view;
  static constexpr const char* kShows[] = {"before", "after", "difference", "all"};
  const char* const labels[] = {tr("before"), tr("after"), tr("difference"), tr("all three")};
  const char* const help[] = {tr("The weights without any mask, in any layer"), tr("The weights under the masks"),
                              tr("With masks minus without: where the weight went"),
                              tr("Before, after and difference side by side")};
  ImGui::BeginGroup();
  for (int i = 0; i < 4; ++i) {
    if (i) ImGui::SameLine(0, look.px(4));
    if (ui::button(look, labels[i], button_width(look, labels[i], 22), 28, view.masks.shows == kShows[i]))
      view.masks.shows = kShows[i];
    ui::tooltip(look, help[i]);
  }
  ImGui::EndGroup();
  if (view.masks.shows == "after") name_part(context, "masks:effect");
}

void draw_lines(MaskTab& tab) {
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  ViewState& view = context.view;
  const auto& words = tab.choice.words;
  const std::int64_t last = (words ? words->rows.size() : tab.choice.site->queries) - 1;
  const std::int64_t row = std::clamp<std::int64_t>(words ? words->rows.at(view.masks.row) : view.masks.row, -1, last);
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  ui::words(look, tr("line by line"), look.theme.secondary, 13);
  ui::tooltip(look, tr("As a decoder generates: row i is what token i may see when it is its turn"));
  struct Move {
    const char *label, *help;
    std::int64_t to;
    bool enabled;
  };
  const Move moves[] = {{"|<", tr("To the first row"), 0, row != 0},
                        {"<", tr("One row back"), row < 0 ? last : row - 1, row != 0},
                        {">", tr("One row on"), row < 0 ? 0 : row + 1, row < last},
                        {">|", tr("All rows"), -1, row >= 0}};
  ImGui::PushID("line by line");
  for (const Move& move : moves) {
    ImGui::SameLine(0, look.px(4));
    if (ui::button(look, move.label, look.px(28), 28, false, move.enabled)) {
      const std::int64_t to = std::min(move.to, last);
      view.masks.row = words ? words->rows.last_token(to) : to;
    }
    ui::tooltip(look, move.help);
  }
  if (context.export_animation) {
    ImGui::SameLine(0, look.px(4));
    if (ui::button(look, tr("film…"), button_width(look, tr("film…"), 16), 28))
      context.export_animation(reveal_film(context, tab.choice));
    ui::tooltip(look, tr("A film of the mask line by line, as GIF or APNG"));
  }
  ImGui::PopID();
  ImGui::EndGroup();
  name_part(context, "masks:lines");
}

void draw_whole(MaskTab& tab) {
  const ui::Look& look = tab.look;
  ViewState& view = tab.context.view;
  if (ui::button(look, tr("whole"), button_width(look, tr("whole"), 22), 28)) {
    view.zoom = 1;
    view.pan_x = view.pan_y = 0;
  }
  ui::tooltip(look, tr("Back to the whole matrix; the wheel zooms, Shift with the mouse moves"));
}

std::string join(const std::vector<std::string>& labels, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < labels.size() && i < most; ++i) text += (i ? "  " : "") + labels[i];
  if (labels.size() > most) text += "  …";
  return text;
}

// One line under the pictures.
std::string words_below(const MaskTab& tab, const MaskEffect* effect) {
  const Context& context = tab.context;
  const AttentionSite& site = *tab.choice.site;
  const auto& words = tab.choice.words;
  const auto queries = words ? words->row_labels : row_labels(context, tab.choice),
             keys = words ? words->column_labels : column_labels(context, tab.choice);
  const std::int64_t token = context.view.masks.row, row = words ? words->rows.at(token) : token;
  if (row >= 0 && row < static_cast<std::int64_t>(queries.size())) {
    std::vector<std::string> seen;
    for (std::size_t j = 0; j < keys.size(); ++j) {
      const CellRange cell = in_tokens(tab.choice, {row, static_cast<std::int64_t>(j), 1, 1});
      bool allowed = false;
      for (std::int64_t q = cell.query; q < cell.query + cell.queries; ++q)
        for (std::int64_t k = cell.key; k < cell.key + cell.keys; ++k)
          allowed |= masks::allows(site.mask.mask, tab.choice.batch, 0, q, k);
      if (allowed) seen.push_back(keys[j]);
    }
    return fill(tr("row {} of {}: {} may see {} of {} keys: {}"),
                {std::to_string(row + 1), std::to_string(queries.size()), queries[static_cast<std::size_t>(row)],
                 std::to_string(seen.size()), std::to_string(keys.size()), join(seen, 16)});
  }
  if (!effect) return {};
  const auto percent = [](double share) {
    char text[16];
    std::snprintf(text, sizeof text, "%.0f", 100 * share);
    return std::string(text);
  };
  const std::int64_t hot = words ? words->rows.at(context.hover.now.row) : context.hover.now.row;
  if (hot >= 0 && hot < static_cast<std::int64_t>(effect->moved.size()))
    return fill(tr("The masks move {} % of the weight of {}."),
                {percent(effect->moved[static_cast<std::size_t>(hot)]), queries[static_cast<std::size_t>(hot)]});
  if (effect->most_moved < 0) return {};
  return fill(tr("The masks move {} % of a row's weight on average, most in {}: {} %."),
              {percent(effect->mean_moved), queries[static_cast<std::size_t>(effect->most_moved)],
               percent(effect->moved[static_cast<std::size_t>(effect->most_moved)])});
}

}  // namespace

figures::MaskPicturesInput canvas_input(const Context& context, const AttentionChoice& choice) {
  const ViewState& view = context.view;
  const AttentionSite& site = *choice.site;
  figures::MaskPicturesInput input;
  const auto& words = choice.words;
  input.rows = words ? words->rows.size() : site.queries;
  input.columns = words ? words->columns.size() : site.keys;
  input.row_labels = words ? words->row_labels : row_labels(context, choice);
  input.column_labels = words ? words->column_labels : column_labels(context, choice);
  input.row_axis = words ? figures::query_words_axis(false) : query_axis(context, choice);  // words are those read here
  input.column_axis = words ? figures::key_words_axis() : tr("key (is attended to)");
  if (view.transposed) {
    std::swap(input.rows, input.columns);
    std::swap(input.row_labels, input.column_labels);
    std::swap(input.row_axis, input.column_axis);
  }
  input.waiting = tr("computing …");
  input.reduction = view.reduction == "mean" ? figures::Reduction::mean : figures::Reduction::max;
  const std::int64_t row = std::min(view.masks.row, site.queries - 1);
  input.revealed = row < 0 ? -1 : (words ? words->rows.at(row) : row) + 1;
  input.reveal_columns = view.transposed;
  input.notes = {random_note(*context.trace, context.trace->name_at(choice.prefix(), Role::weights))};
  const std::string map = view.colormap == "signed" ? "viridis" : view.colormap;
  const auto shows = [&](const char* what) { return view.masks.shows == what || view.masks.shows == "all"; };
  const bool named = view.masks.shows != "after";
  std::shared_ptr<const MaskEffect> effect;
  if (named) {
    effect = mask_effect(context, choice).value;
    if (const auto edges = mask_boundary(context, choice)) input.edges = *edges;
  }
  if (shows("before")) {
    figures::MaskPicture picture;
    picture.title = tr("without masks");
    picture.brief = tr("without");
    picture.colormap = map;
    picture.range_words = tr("weight 0..1");
    picture.edges = true;
    if (effect) {
      picture.values = effect->before;
      picture.key = effect->before_key;
    }
    input.pictures.push_back(std::move(picture));
  }
  if (shows("after") || input.pictures.empty() == (view.masks.shows != "difference")) {
    figures::MaskPicture picture;
    picture.title = named ? tr("with masks") : "";
    picture.brief = tr("with");
    picture.colormap = map;
    picture.range_words = tr("weight 0..1");
    if (const auto weights = masked_weights(context, choice)) {
      picture.values = weights->values;
      picture.mask = weights->mask;
      picture.key = weights->key;
    }
    if (shows("after")) input.pictures.push_back(std::move(picture));
  }
  if (shows("difference")) {
    figures::MaskPicture picture;
    picture.title = picture.brief = tr("difference");
    picture.colormap = "signed";
    picture.range_words = tr("with − without");
    picture.edges = true;
    if (effect) {
      picture.values = effect->difference;
      picture.key = effect->difference_key;
      picture.high = effect->largest > 0 ? static_cast<float>(effect->largest) : 1.0f;
      picture.low = -picture.high;
    }
    input.pictures.push_back(std::move(picture));
  }
  return input;
}

// Points of width: narrower, the words below the pictures may take two lines.
constexpr float kTwoLines = 620;
constexpr float kLeastPicture = 200;     // points of height
constexpr float kLeastBelow = 260;       // points of height below the controls: with less the page scrolls
constexpr float kLeastBelowThree = 340;  // ... for three pictures, whose names and scales take more of it
// ... for up to so many rows, all of which are named: this much for each, and for what is not rows.
constexpr std::int64_t kNamedRows = 24;
constexpr float kNamedRow = 7, kBesideRows = 214;
constexpr float kLeastWithWords = 260;  // ... a lower place has the picture alone

namespace {

void draw_controls(MaskTab& tab) {
  const ui::Look& look = tab.look;
  Flow flow(look, 14);
  const char* const shows[] = {tr("before"), tr("after"), tr("difference"), tr("all three")};
  flow.next(segmented_width(look, shows, 4));
  draw_shows(tab);
  flow.next(look.px(4 * 32 + 8) + button_width(look, tr("line by line"), 0) +
            (tab.context.export_animation ? button_width(look, tr("film…"), 20) : 0));
  draw_lines(tab);
  if (tab.context.view.zoom > 1) {
    flow.next(button_width(look, tr("whole"), 22));
    draw_whole(tab);
  }
}

// What the screen shows on the pictures besides the figure that is exported: the stroke, the cursor, the window that is zoomed
// to.
figures::MaskPicturesInput input_on_screen(MaskTab& tab, Stroke& stroke) {
  Context& context = tab.context;
  ViewState& view = context.view;
  figures::MaskPicturesInput input = canvas_input(context, tab.choice);
  input.with_data = false;
  if (view.presentation) {
    input.most_cell = 160;
    input.notes.clear();  // said beside the tabs
  }
  light(context, tab.choice, input);
  // The trace has what was painted: the mark of the stroke goes.
  if (stroke.phase == kReleased && (context.error || context.trace->document().custom_mask == context.document.custom_mask))
    stroke.end();
  if (stroke.phase != kNone) {
    input.stroke = stroke.areas(view.masks.tool, input.rows, input.columns);
    input.stroke_allows = view.masks.allows;
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
void follow_hands(MaskTab& tab, Stroke& stroke, const gl::Hit& hit, const figures::Figure& figure,
                  const figures::MaskPicturesInput& input) {
  Context& context = tab.context;
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

}  // namespace

void draw_mask_canvas(MaskTab& tab, float width, float height) {
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  ViewState& view = context.view;
  const float top = ImGui::GetCursorPosY();
  const bool presented = view.presentation;
  if (!presented) draw_controls(tab);
  const MaskEffectAnswer effect = view.masks.shows == "after" ? MaskEffectAnswer() : mask_effect(context, tab.choice);
  if (!effect.error.empty()) ui::words(look, effect.error, look.theme.wrong);
  Stroke& stroke = context.transient->of<Stroke>();
  const figures::MaskPicturesInput input = input_on_screen(tab, stroke);
  std::string below = words_below(tab, effect.value.get());
  if (presented)
    below = attention_title(tab.choice) + ", " +
            (context.document.masks.empty() ? std::string(tr("no mask")) : masks::to_text(context.document.masks)) +
            (below.empty() ? "" : ".  " + below);
  const float used = (ImGui::GetCursorPosY() - top) / look.scale;
  if (height - used < kLeastWithWords) below.clear();
  // Always as much as a narrow place may need: the picture must not move when the words change under the mouse.
  const float line = context.measure.line_height(14, figures::Font::words) + 3;
  const float under = below.empty() ? 4 : 6 + line * (width < kTwoLines ? 2.0f : 1.0f);
  // Where the page scrolls, the picture may have all that is in sight at once.
  float left = height - used - under;
  const float named = input.rows <= kNamedRows ? kBesideRows + kNamedRow * static_cast<float>(input.rows) : 0;
  const float least = view.masks.shows == "all" && !presented ? kLeastBelowThree : std::max(kLeastBelow, named);
  const bool scrolls = left < least;
  // The next word stands below where it leaves the picture what it needs.
  figures::Figure next = mask_next(context, width - 4);
  const bool with_next = !next.items.empty() && left - next.height - 8 >= least;
  if (with_next) left -= next.height + 8;
  figures::Figure figure = figures::mask_pictures(
      input, scrolls ? width - 12 : width, scrolls ? std::max(kLeastPicture, height - 8) : left, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "canvas", true);
  if (hit.tag.kind == figures::Tag::cell_area)
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);  // zooms and does not scroll the page
  follow_hands(tab, stroke, hit, figure, input);
  name_part(context, "masks:paint");
  if (view.masks.shows != "after") name_part(context, "masks:effect");
  figure_menu(context, "canvas menu", hit, [&] { return canvas_figure(context, 1000, 760); });
  if (!below.empty()) ui::words(look, below, look.theme.secondary, 14);
  if (!with_next) return;
  const gl::Hit on_next = context.figures.draw(next, "masks next");
  name_part(context, "masks:next");
  figure_menu(context, "masks next menu", on_next, [&] {
    figures::Figure paper = mask_next(context, 900);
    paper.background = context.theme.background;
    return paper;
  });
}

}  // namespace headlight::panels
