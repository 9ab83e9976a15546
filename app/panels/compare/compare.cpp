// The Compare tab: the pinned state A beside the present one B, and their difference, for the selected head.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/legend.h"
#include "app/figures/base/panes.h"
#include "app/gl/figure_view.h"
#include "app/panels/compare/compare_data.h"
#include "app/panels/compare/compare_offers.h"
#include "app/panels/panels.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kGap = 12;
constexpr float kBelow = 176, kLowBelow = 76;  // room for the words and the table below the pictures

// The hovered cell in A's tokens: if B does not have it, it is highlighted in A only.
CompareTransient hovered_in_a(const Context& context) {
  return context.transient ? context.transient->of<CompareTransient>() : CompareTransient();
}

std::int64_t first_of(const Alignment& side, std::int64_t group, bool a) {
  if (group < 0 || group >= static_cast<std::int64_t>(side.groups.size())) return -1;
  const auto& tokens = a ? side.groups[static_cast<std::size_t>(group)].a : side.groups[static_cast<std::size_t>(group)].b;
  return tokens.front();
}

void swap_sides(Context& context) {
  Document a = context.pinned->document;
  context.pin(true);  // the present state becomes A
  context.edit(std::move(a));
}

// What is highlighted in this frame: tokens of each side, and groups.
struct Lit {
  std::int64_t a_row = -1, a_column = -1, b_row = -1, b_column = -1, row = -1, column = -1;
};
Lit lit_of(const Context& context, const Sides& sides, const Compared* compared) {
  Lit lit;
  const Hot& hot = context.hover.now;
  const CompareTransient in_a = hovered_in_a(context);
  lit.b_row = hot.row;
  lit.b_column = hot.column;
  if (lit.b_row < 0 && lit.b_column < 0 && in_a.row < 0) {
    lit.b_row = context.view.pinned_row;
    lit.b_column = context.view.pinned_column;
  }
  if (const auto& words = sides.b.words) {
    lit.b_row = words->rows.at(lit.b_row);
    lit.b_column = words->columns.at(lit.b_column);
  }
  lit.a_row = in_a.row;
  lit.a_column = in_a.column;
  if (!compared) return lit;
  const bool of_a = lit.a_row >= 0 || lit.a_column >= 0;
  lit.row = of_a ? group_of_a(compared->rows, lit.a_row) : group_of_b(compared->rows, lit.b_row);
  lit.column = of_a ? group_of_a(compared->columns, lit.a_column) : group_of_b(compared->columns, lit.b_column);
  if (!of_a) {
    lit.a_row = first_of(compared->rows, lit.row, true);
    lit.a_column = first_of(compared->columns, lit.column, true);
  } else {
    lit.b_row = first_of(compared->rows, lit.row, false);
    lit.b_column = first_of(compared->columns, lit.column, false);
  }
  return lit;
}

// Row and column of the matrix (query, key) under the mouse, whatever the orientation; -1: none.
void place_of(const Context& context, const gl::Hit& hit, std::int64_t& row, std::int64_t& column) {
  row = column = -1;
  if (!hit.hovered) return;
  if (hit.tag.kind == figures::Tag::cell_area) {
    row = hit.row;
    column = hit.column;
  } else if (hit.tag.kind == figures::Tag::row) {
    row = hit.tag.a;
  } else if (hit.tag.kind == figures::Tag::column) {
    column = hit.tag.a;
  }
  if (context.view.transposed) std::swap(row, column);
}

// Lights B's row and column, as tokens: of words their last ones, which stand for them.
void light(Context& context, const Sides& sides, std::int64_t row, std::int64_t column) {
  const auto& words = sides.b.words;
  context.hover.next.words = words != nullptr;
  context.hover.next.row = words ? words->rows.last_token(row) : row;
  context.hover.next.column = words ? words->columns.last_token(column) : column;
}

// A click is a press and a release at the same place.
bool pressed_here(const gl::Hit& hit) {
  const ImGuiIO& io = ImGui::GetIO();
  return hit.hovered && hit.tag.kind == figures::Tag::cell_area && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
         io.MouseDragMaxDistanceSqr[0] < io.MouseDragThreshold * io.MouseDragThreshold;
}

void pin_cell(Context& context, std::int64_t row, std::int64_t column) {
  if (row < 0 || column < 0) return;
  ViewState& view = context.view;
  const bool again = view.pinned_row == row && view.pinned_column == column;
  view.pinned_row = again ? -1 : row;
  view.pinned_column = again ? -1 : column;
}

// The room of each of the three pictures.
struct PaneRoom {
  float width = 0, height = 0;
  float most_cell = 88, most_width = 0;  // height and width of a cell; 0: as the layout chooses
  bool names = true;   // whether it names its rows; if the rows are the same, those of A name them for all three
  bool small = false;  // all three use the layout of the smallest
};

// The number of the highlighted cell, behind the title.
void add_number(figures::Figure& figure, const std::string& title, const std::string& number, float width,
                const Context& context) {
  constexpr float kSize = 18, kBefore = 16;
  for (const figures::Item& item : figure.items) {
    const auto* words = std::get_if<figures::Text>(&item);
    if (!words || words->text != title) continue;
    const float x = words->at.x + context.measure.width(title, words->size, words->font) + kBefore;
    if (x + context.measure.width(number, kSize, Font::mono) > width) return;
    figures::Text text = figures::text_at(number, {x, words->at.y}, kSize, Font::mono, context.theme.selected);
    text.vertical = words->vertical;
    figure.width = std::max(figure.width, x + context.measure.width(number, kSize, Font::mono));
    figure.add(std::move(text));
    return;
  }
}

// A side's value, or that the cell is masked.
std::string cell_words(const Tensor& values, const Tensor& mask, std::int64_t row, std::int64_t column) {
  if (row < 0 || column < 0 || row >= values.dim(0) || column >= values.dim(1)) return {};
  if (!mask.empty() && mask.at({row, column}) == 0) return tr("masked");
  return short_number(values.at({row, column}));
}

figures::Figure pane(figures::HeatmapInput input, std::int64_t row, std::int64_t column, const PaneRoom& room,
                     const Context& context, const std::string& number = {}) {
  const bool transposed = context.view.transposed;
  const float width = room.width;
  float height = room.height;
  input.most_cell = room.most_cell;
  input.most_width = room.most_width;
  input.names_rows = room.names;
  input.note.clear();  // the row of pickers, and the export, say whose weights these are
  input.hot_row = transposed ? column : row;
  input.hot_column = transposed ? row : column;
  // In a small pane the legend takes the pane's whole width below the picture, not only what the labels leave.
  const bool small = room.small;
  figures::Legend legend;
  if (small) {
    legend = figures::legend_of(input);
    legend.brief = true;
    legend.masked = legend.masked && !context.view.presentation;  // on a projector the rows' names need the line
    if (legend_width(legend, 4 * width, context.measure) > width) {
      auto lines = figures::wrap(legend.range_words, width, 13, Font::words, context.measure);
      legend.notes.insert(legend.notes.begin(), lines.begin(), lines.end());
      legend.range_words.clear();
    }
    height -= legend_height(legend, width, context.measure) + 6;
    input.legend = false;
  }
  figures::Figure figure = figures::heatmap(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  if (!number.empty()) add_number(figure, input.title, number, width, context);
  if (small) {
    float left = 4;  // below the cells, if the words have room there
    for (const figures::Item& item : figure.items)
      if (const auto* cells = std::get_if<figures::Cells>(&item); cells && cells->tag.kind == figures::Tag::cell_area)
        left = cells->box.x;
    figures::Figure below =
        figures::legend_figure(legend, left, std::min(width - left - 4, 220.0f), width, context.theme, context.measure);
    const float top = figure.height + 6;
    figure.height = top + below.height;
    figure.width = std::max(figure.width, below.width);
    figures::add_moved(figure, std::move(below), 0, top);
  }
  return figure;
}

// The rooms of the three pictures, side by side in `width` or below each other.
using Rooms = std::array<PaneRoom, 3>;
Rooms rooms_of(const Context& context, const Sides& sides, const Compared* compared, float width, float height, bool beside) {
  const float each = beside ? (width - 2 * kGap) / 3 : width;
  Rooms rooms{PaneRoom{each, height}, PaneRoom{each, height}, PaneRoom{each, height}};
  const auto lay_out = [&] {
    const bool small = std::min(rooms[0].width, rooms[1].width) < 340 || height < 480;
    for (PaneRoom& room : rooms) room.small = small;
  };
  lay_out();
  if (!sides.left || !sides.right || sides.left->values.shape() != sides.right->values.shape()) return rooms;
  const bool all = compared && !compared->rows.groups.empty() && !compared->columns.groups.empty();
  std::vector<figures::HeatmapInput> inputs{side_input(context, sides, true), side_input(context, sides, false)};
  if (all) inputs.push_back(difference_input(context, sides, *compared));
  if (beside && all && inputs[0].row_labels == inputs[1].row_labels && inputs[0].row_labels == inputs[2].row_labels) {
    // A names the rows of all three, so the others' room for names goes to their cells.
    constexpr std::size_t kMeasured = 64;
    const auto& labels = inputs[0].row_labels;
    float widest = 0;
    for (std::size_t i = 0; i < labels.size(); i += std::max<std::size_t>(1, labels.size() / kMeasured))
      widest = std::max(widest, context.measure.width(labels[i], 15, Font::mono));
    const float names = std::min(widest, 0.2f * each) + 32, cells = (width - 2 * kGap - names) / 3;
    rooms[0].width = cells + names;
    rooms[1].width = rooms[2].width = cells;
    rooms[1].names = rooms[2].names = false;
    lay_out();
  }
  // The cells have the same size in all three: a legend with one line more must not make them smaller.
  float high = rooms[0].most_cell, wide = 1e6f;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (const figures::Item& item : pane(inputs[i], -1, -1, rooms[i], context).items)
      if (const auto* cells = std::get_if<figures::Cells>(&item); cells && cells->tag.kind == figures::Tag::cell_area) {
        wide = std::min(wide, cells->box.w / static_cast<float>(cells->columns));
        high = std::min(high, cells->box.h / static_cast<float>(cells->rows));
      }
  for (PaneRoom& room : rooms) {
    room.most_cell = high;
    room.most_width = wide;
  }
  return rooms;
}

void draw_a(Context& context, const ui::Look& look, const Sides& sides, const Compared* compared, const Lit& lit,
            const PaneRoom& room) {
  std::int64_t row = -1, column = -1;
  if (!sides.left) {
    const Pinned& pinned = *context.pinned;
    ui::words(look,
              pinned.error    ? fill(tr("A cannot be computed: {}"), {spoken_in_window(*pinned.error)})
              : !pinned.trace ? std::string(tr("computing A …"))
              : !sides.a.site ? std::string(tr("A has no attention of this kind."))
                              : std::string(tr("computing …")),
              pinned.error ? look.theme.wrong : look.theme.secondary, 15);
    name_part(context, "compare:a");
  } else {
    const figures::HeatmapInput input = side_input(context, sides, true);
    const gl::Hit hit = context.figures.draw(pane(input, lit.a_row, lit.a_column, room, context,
                                                  cell_words(sides.left->values, sides.left->mask, lit.a_row, lit.a_column)),
                                             "a");
    name_part(context, "compare:a");
    place_of(context, hit, row, column);
    if (compared && (row >= 0 || column >= 0)) {
      light(context, sides, first_of(compared->rows, group_of_a(compared->rows, row), false),
            first_of(compared->columns, group_of_a(compared->columns, column), false));
      if (pressed_here(hit)) pin_cell(context, context.hover.next.row, context.hover.next.column);
    }
    figure_menu(context, "a menu", hit, [&] { return figures::heatmap(input, 900, 820, context.theme, context.measure); });
  }
  if (context.transient) {
    auto& kept = context.transient->of<CompareTransient>();
    kept.row = row;
    kept.column = column;
  }
}

void draw_b(Context& context, const ui::Look& look, const Sides& sides, const Lit& lit, const PaneRoom& room) {
  if (!sides.right) {
    ui::words(look, tr("computing …"), look.theme.secondary, 15);
    name_part(context, "compare:b");
    return;
  }
  const figures::HeatmapInput input = side_input(context, sides, false);
  const gl::Hit hit = context.figures.draw(pane(input, lit.b_row, lit.b_column, room, context,
                                                cell_words(sides.right->values, sides.right->mask, lit.b_row, lit.b_column)),
                                           "b");
  name_part(context, "compare:b");
  std::int64_t row = -1, column = -1;
  place_of(context, hit, row, column);
  if (row >= 0 || column >= 0) {
    light(context, sides, row, column);
    const Hot& next = context.hover.next;
    if (row >= 0 && column >= 0)
      context.hover.next.value = {context.trace->name_at(sides.b.prefix(), sides.role),
                                  {sides.b.batch, sides.b.head, next.row, next.column}};
    if (pressed_here(hit)) pin_cell(context, next.row, next.column);
  }
  figure_menu(context, "b menu", hit, [&] { return figures::heatmap(input, 900, 820, context.theme, context.measure); });
}

void draw_difference(Context& context, const ui::Look& look, const Sides& sides, const Compared* compared, const Error* error,
                     const Lit& lit, const PaneRoom& room) {
  if (!compared || compared->rows.groups.empty() || compared->columns.groups.empty()) {
    ui::words(look,
              error ? spoken_in_window(*error)
              : compared
                  ? alignment_words(*compared)
                  : std::string(sides.left && sides.right ? tr("computing …") : tr("The difference comes once both are there.")),
              error ? look.theme.wrong : look.theme.secondary, 15);
    name_part(context, "compare:difference");
    return;
  }
  const figures::HeatmapInput input = difference_input(context, sides, *compared);
  const gl::Hit hit =
      context.figures.draw(pane(input, lit.row, lit.column, room, context,
                                cell_words(compared->difference.difference, compared->difference.mask, lit.row, lit.column)),
                           "difference");
  name_part(context, "compare:difference");
  std::int64_t row = -1, column = -1;
  place_of(context, hit, row, column);
  if (row >= 0 || column >= 0) {
    light(context, sides, first_of(compared->rows, row, false), first_of(compared->columns, column, false));
    if (row >= 0 && column >= 0) {
      const HeadDifference& d = compared->difference;
      ui::tooltip(look,
                  fill(tr("{} → {}: A {}, B {}, A − B = {}"),
                       {compared->rows.groups[static_cast<std::size_t>(row)].label,
                        compared->columns.groups[static_cast<std::size_t>(column)].label, short_number(d.a.at({row, column})),
                        short_number(d.b.at({row, column})), short_number(d.difference.at({row, column}))}));
    }
    if (pressed_here(hit)) pin_cell(context, context.hover.next.row, context.hover.next.column);
  }
  figure_menu(context, "difference menu", hit, [&] { return figures::heatmap(input, 900, 820, context.theme, context.measure); });
}

// Above the pictures, so that one reads first what was changed: the fields in as many lines as they need.
void draw_fields(Context& context, const ui::Look& look, float width) {
  const auto fields = differing_fields(context.pinned->document, context.document);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string title = tr("What differs, A → B");
  const float row = 28, letters = context.measure.line_height(16, Font::words_bold);
  context.figures.text(*ImGui::GetWindowDrawList(), {at.x, std::round(at.y + look.px((row - letters) / 2))}, title, 16,
                       Font::words_bold, look.theme.text);
  ImGui::Dummy({look.px(context.measure.width(title, 16, Font::words_bold)), look.px(row)});
  if (fields.empty())
    ui::words(look,
              tr("Nothing yet: A and B are the same document. Change anything: the sentence, a mask, the tokenizer, the "
                 "temperature, the model."),
              look.theme.secondary, 14);
  const float button = context.measure.width(tr("take A's"), 14, Font::words) + 28;
  for (const FieldDifference& field : fields) {
    ImGui::PushID(field.id.c_str());
    const std::string name = std::string(tr(field.label.c_str())) + ":", values = field.a + " → " + field.b;
    const float high = 28, widest = width - button - 16;
    const float named = std::min(context.measure.width(name, 14, Font::words), widest * 0.5f);
    const float room = std::min(widest, named + 7 + context.measure.width(values, 14, Font::words));
    next_on_line(look, room + 12 + button, 20);
    ImGui::BeginGroup();
    const ImVec2 line = ImGui::GetCursorScreenPos();
    const auto put = [&](float x, const std::string& text, Font font, figures::Color color, float most) {
      context.figures.text(
          *ImGui::GetWindowDrawList(),
          {line.x + look.px(x), std::round(line.y + look.px((high - context.measure.line_height(14, font)) / 2))}, text, 14, font,
          color, look.px(most));
    };
    put(0, name, Font::words, look.theme.secondary, named + 1);
    put(named + 6, values, Font::words, look.theme.text, room - named - 5);
    ImGui::Dummy({look.px(room), look.px(high)});
    ui::tooltip(look, name + " " + values);
    ImGui::SameLine(0, look.px(12));
    if (ui::button(look, tr("take A's"), look.px(button), high)) {
      auto taken = with_field_of(context.pinned->document, context.document, field.id);
      if (taken.ok())
        context.edit(std::move(taken).value());
      else
        context.say(spoken_in_window(taken.error()));
    }
    ui::tooltip(look, tr("Gives B the value that A has; Ctrl+Z takes it back"));
    ImGui::EndGroup();
    ImGui::PopID();
  }
}

std::string changed_words(const Context& context) {
  std::string changes;
  for (const FieldDifference& field : differing_fields(context.pinned->document, context.document))
    changes += (changes.empty() ? "" : ",  ") + std::string(tr(field.label.c_str())) + ": " + field.a + " → " + field.b;
  return changes;
}

void draw_summary(const ui::Look& look, const Sides& sides, const Compared* compared) {
  if (!compared || compared->rows.groups.empty() || compared->columns.groups.empty()) return;
  ImGui::Dummy({0, look.px(4)});
  ui::words(look, moved_words(*compared, sides), look.theme.text, 15);
  ui::words(look, alignment_words(*compared), look.theme.secondary, 14);
}

// As many as fit, at least three; the exported table has all of them.
void draw_changes(Context& context, const Sides& sides, const Compared* compared, const Lit& lit, float width, float height) {
  if (!compared || compared->difference.changes.empty()) return;
  const auto most = static_cast<std::size_t>(std::clamp((height - 54) / 26, 3.0f, 8.0f));
  figures::TableInput input = changes_input(*compared, most);
  const auto& changes = compared->difference.changes;
  for (std::size_t i = 0; i < changes.size() && i < most; ++i)
    if (changes[i].row == lit.row && changes[i].column == lit.column) input.hot = static_cast<std::int64_t>(i);
  figures::Figure figure = figures::table(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "changes");
  name_part(context, "compare:changes");
  if (hit.hovered && hit.tag.kind == figures::Tag::row && hit.tag.a < static_cast<std::int64_t>(changes.size())) {
    const auto& change = changes[static_cast<std::size_t>(hit.tag.a)];
    light(context, sides, first_of(compared->rows, change.row, false), first_of(compared->columns, change.column, false));
    if (hit.clicked) pin_cell(context, context.hover.next.row, context.hover.next.column);
  }
  figure_menu(context, "changes menu", hit, [&] {
    input.hot = -1;
    figures::Figure made;
    made.background = context.theme.background;
    made.title = input.title;
    figures::Figure table = figures::table(changes_input(*compared, kMostChanges), 608, context.theme, context.measure);
    made.width = 640;
    made.height = table.height + 32;
    figures::add_moved(made, std::move(table), 16, 16);
    return made;
  });
}

// False if A was dropped: context.pinned dates from the beginning of this frame and must then not be read any more.
bool draw_switches(Context& context, const ui::Look& look, const Sides& sides) {
  if (sides.b.site) draw_attention_bar(context, look, sides.b);
  const char* const shown[] = {tr("scores"), tr("masked"), tr("weights")};
  const std::string ids[] = {"scores", "masked_scores", "weights"};
  float wide = 8;
  for (const char* label : shown) wide += context.measure.width(label, 14, Font::words) + 28;
  next_on_line(look, wide, 24);
  const int selected = sides.role == Role::scores ? 0 : sides.role == Role::weights ? 2 : 1;
  if (const int clicked = ui::segmented(look, "shown", shown, 3, selected); clicked >= 0) context.view.shown = ids[clicked];
  ui::tooltip(look, tr("Which step of the attention is compared"));

  const struct {
    const char *label, *tip, *part;
  } buttons[] = {
      {tr("Swap A and B"), tr("What is pinned becomes the present state, and the present one is pinned"), "compare:swap"},
      {tr("Pin again"), tr("The present state becomes A, in place of the pinned one"), "compare:pin"},
      {tr("Drop A"), tr("Forgets the pinned state"), "compare:drop"}};
  for (int i = 0; i < 3; ++i) {
    next_on_line(look, context.measure.width(buttons[i].label, 14, Font::words) + 32, i == 0 ? 24 : 8);
    const bool clicked = ui::button(look, buttons[i].label, 0, 28);
    ui::tooltip(look, buttons[i].tip);
    name_part(context, buttons[i].part);
    if (!clicked) continue;
    if (i == 0) swap_sides(context);
    if (i == 1) context.pin(true);
    if (i == 2) context.pin(false);
    return i != 2;
  }
  return true;
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  if (!context.pinned) {
    draw_compare_offers(context, look);
    return;
  }
  const bool presented = context.view.presentation;
  if (!presented && !draw_switches(context, look, sides_of(context))) return;
  // After a swap or a new pin everything is looked up again.
  const Sides sides = sides_of(context);
  const Error* error = nullptr;
  const auto found = compared(context, sides, &error);
  const Lit lit = lit_of(context, sides, found.get());

  if (presented) {  // one line says what was changed
    const std::string changes = changed_words(context);
    if (!changes.empty()) ui::words(look, changes, look.theme.text, 15);
  } else {
    ImGui::BeginGroup();
    draw_fields(context, look, ImGui::GetContentRegionAvail().x / context.scale - 14);
    ImGui::EndGroup();
    name_part(context, "compare:fields");
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = room.x / context.scale - (presented ? 0 : 14), height = room.y / context.scale;
  const bool three = width >= (presented ? 600 : 820);
  const float each = three ? (width - 2 * kGap) / 3 : width;  // about
  const float tall = presented ? std::max(200.0f, height - 32)
                     : three   ? std::clamp(height - (height < 600 ? kLowBelow : kBelow), 320.0f, each * 1.16f)
                               : 380;
  const ImGuiWindowFlags quiet =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const Rooms rooms = rooms_of(context, sides, found.get(), width, tall, three);
  const char* const names[] = {"side a", "side b", "side difference"};
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    const PaneRoom& pane_room = rooms[i];
    if (i > 0 && three) ImGui::SameLine(0, look.px(kGap));
    if (ImGui::BeginChild(names[i], {look.px(pane_room.width), look.px(tall)}, ImGuiChildFlags_NavFlattened, quiet)) {
      if (i == 0) draw_a(context, look, sides, found.get(), lit, pane_room);
      if (i == 1) draw_b(context, look, sides, lit, pane_room);
      if (i == 2) draw_difference(context, look, sides, found.get(), error, lit, pane_room);
    }
    ImGui::EndChild();
  }
  if (presented) {
    if (found && !found->rows.groups.empty() && !found->columns.groups.empty())
      ui::words(look, moved_words(*found, sides), look.theme.secondary, 14);
    ImGui::PopStyleVar();
    return;
  }
  const ImGuiChildFlags grows = ImGuiChildFlags_NavFlattened | ImGuiChildFlags_AutoResizeY;
  const bool two = width >= 700;
  const float below = ImGui::GetContentRegionAvail().y / context.scale;
  const float fields = two ? (width - 32) * 0.5f : width, half = two ? width - 32 - fields : width;
  if (ImGui::BeginChild("summary", {look.px(fields), 0}, grows, quiet)) draw_summary(look, sides, found.get());
  ImGui::EndChild();
  if (two) ImGui::SameLine(0, look.px(32));
  if (ImGui::BeginChild("changes side", {look.px(half), 0}, grows, quiet))
    draw_changes(context, sides, found.get(), lit, std::min(half, 640.0f), below);
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

figures::Figure figure_of_comparison(const Context& context, float width, float) {
  if (!context.pinned) return {};
  const Sides sides = sides_of(context);
  const auto found = compared(context, sides, nullptr);
  if (!found || found->rows.groups.empty() || found->columns.groups.empty()) return {};
  const float each = std::max(420.0f, width / 2);
  figures::Figure all = figures::side_by_side(
      {figures::heatmap(side_input(context, sides, true), each, each, context.theme, context.measure),
       figures::heatmap(side_input(context, sides, false), each, each, context.theme, context.measure),
       figures::heatmap(difference_input(context, sides, *found), each, each, context.theme, context.measure)},
      3, kGap);
  all.background = context.theme.background;
  all.title = attention_title(sides.b) + ": A − B";
  return all;
}

}  // namespace

Entry compare_panel() {
  Entry entry = {"compare", "Compare", "A − B", "", draw, figure_of_comparison, true};
  entry.pages =
      pages_in([](ViewState& view) -> std::string& { return view.shown; },
               {{"scores", tr_later("scores"), tr_later("q·k of every query with every key, before scale and mask")},
                {"masked_scores", tr_later("masked"), tr_later("The scaled scores after the mask, as the softmax gets them")},
                {"weights", tr_later("weights"), tr_later("What the softmax makes of them: each query's weights sum to 1")}});
  entry.pages.has = [](const Context& context, const std::string&) { return context.pinned != nullptr; };
  entry.of_head = [](const ViewState&) { return true; };
  entry.pictures = {
      {"compare", "the pinned state of a session beside the present one, and the difference", figure_of_comparison}};
  return entry;
}

}  // namespace headlight::panels
