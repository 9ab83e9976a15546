// The Compare view: the pinned state A beside the present one B, and their difference, for the selected head.
#include "app/views/base/view.h"
#include "app/figures/base/panes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/figures/base/compose.h"
#include "app/gl/figure_view.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_nodes.h"
#include "app/views/compare/data.h"
#include "app/views/compare/offers.h"
#include "app/views/compare/pictures.h"
#include "imgui.h"

namespace headlight::views {

const View& compare_view();

namespace comparing {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kThree = 820;                        // in which the three maps stand side by side
constexpr float kLeastMap = 356, kStackedMap = 380;  // heights
constexpr float kTableHead = 54, kTableRow = 26;

std::int64_t first_of(const Alignment& side, std::int64_t group, bool a) {
  if (group < 0 || group >= static_cast<std::int64_t>(side.groups.size())) return -1;
  const auto& tokens = a ? side.groups[static_cast<std::size_t>(group)].a : side.groups[static_cast<std::size_t>(group)].b;
  return tokens.front();
}

// What is lit in this frame: tokens of each side, and groups.
struct Lit {
  std::int64_t a_row = -1, a_column = -1, b_row = -1, b_column = -1, row = -1, column = -1;
};

// The view during one frame. It keeps what a click on "Drop A" may free before the frame is drawn.
struct Frame {
  const Scene& scene;
  std::shared_ptr<const Trace> trace_of_a;
  Sides sides;
  std::shared_ptr<const Compared> found;
  const Error* error = nullptr;
  std::shared_ptr<Held> held;
  Lit lit;
  std::optional<figures::HeatmapInput> a, b, difference;  // null: not there yet

  const Context& context() const { return scene.context; }
};
using Shared = std::shared_ptr<const Frame>;

Lit lit_of(const Frame& frame) {
  const Context& context = frame.context();
  const Compared* const compared = frame.found.get();
  Lit lit;
  const Hot& hot = context.hover.now;
  lit.b_row = hot.row;
  lit.b_column = hot.column;
  if (lit.b_row < 0 && lit.b_column < 0 && frame.held->row < 0) {
    lit.b_row = context.view.pinned_row;
    lit.b_column = context.view.pinned_column;
  }
  if (const auto& words = frame.sides.b.words) {
    lit.b_row = words->rows.at(lit.b_row);
    lit.b_column = words->columns.at(lit.b_column);
  }
  // A cell of A that B does not have is lit in A alone.
  lit.a_row = frame.held->row;
  lit.a_column = frame.held->column;
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

bool has_difference(const Frame& frame) {
  return frame.found && !frame.found->rows.groups.empty() && !frame.found->columns.groups.empty();
}

Frame frame_of(const Scene& scene) {
  const Context& context = scene.context;
  Frame frame{
      .scene = scene, .trace_of_a = context.pinned->trace, .sides = sides_of(context), .held = own_transient<Held>(scene)};
  frame.found = compared(context, frame.sides, &frame.error);
  frame.lit = lit_of(frame);
  if (scene.medium != sheet::Medium::file) frame.held->row = frame.held->column = -1;  // until the mouse is found on A again
  if (frame.sides.left) frame.a = side_input(context, frame.sides, true);
  if (frame.sides.right) frame.b = side_input(context, frame.sides, false);
  if (has_difference(frame)) frame.difference = difference_input(context, frame.sides, *frame.found);
  return frame;
}

// --- under the mouse

// Row and column of the matrix (query, key) under the mouse, whatever the orientation; -1: none.
struct Cell {
  std::int64_t row = -1, column = -1;
};
Cell cell_under(const Frame& frame, const gl::Hit& hit) {
  Cell cell;
  if (!hit.hovered) return cell;
  if (hit.tag.kind == figures::Tag::cell_area) {
    cell = {hit.row, hit.column};
  } else if (hit.tag.kind == figures::Tag::row) {
    cell.row = hit.tag.a;
  } else if (hit.tag.kind == figures::Tag::column) {
    cell.column = hit.tag.a;
  }
  if (frame.context().view.transposed) std::swap(cell.row, cell.column);
  return cell;
}

// Lights B's row and column, as tokens: of words their last ones, which stand for them.
void light(const Frame& frame, std::int64_t row, std::int64_t column) {
  const auto& words = frame.sides.b.words;
  Hot& next = frame.context().hover.next;
  next.words = words != nullptr;
  next.row = words ? words->rows.last_token(row) : row;
  next.column = words ? words->columns.last_token(column) : column;
}

// Pins the lit cell, or lets it go.
void pin_lit(const Frame& frame) {
  const Hot& lit = frame.context().hover.next;
  if (lit.row < 0 || lit.column < 0) return;
  ViewState& view = frame.context().view;
  const bool again = view.pinned_row == lit.row && view.pinned_column == lit.column;
  view.pinned_row = again ? -1 : lit.row;
  view.pinned_column = again ? -1 : lit.column;
}

// A click is a press and a release at the same place.
void pin_on_click(const Frame& frame, const gl::Hit& hit) {
  const ImGuiIO& io = ImGui::GetIO();
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
      io.MouseDragMaxDistanceSqr[0] < io.MouseDragThreshold * io.MouseDragThreshold)
    pin_lit(frame);
}

void hit_a(const Frame& frame, const gl::Hit& hit) {
  const Cell cell = cell_under(frame, hit);
  frame.held->row = cell.row;
  frame.held->column = cell.column;
  if (!frame.found || (cell.row < 0 && cell.column < 0)) return;
  light(frame, first_of(frame.found->rows, group_of_a(frame.found->rows, cell.row), false),
        first_of(frame.found->columns, group_of_a(frame.found->columns, cell.column), false));
  pin_on_click(frame, hit);
}

void hit_b(const Frame& frame, const gl::Hit& hit) {
  const Cell cell = cell_under(frame, hit);
  if (cell.row < 0 && cell.column < 0) return;
  light(frame, cell.row, cell.column);
  Hot& next = frame.context().hover.next;
  if (cell.row >= 0 && cell.column >= 0)
    next.value = {frame.context().trace->name_at(frame.sides.b.prefix(), frame.sides.role),
                  {frame.sides.b.batch, frame.sides.b.head, next.row, next.column}};
  pin_on_click(frame, hit);
}

void hit_difference(const Frame& frame, const gl::Hit& hit) {
  const Cell cell = cell_under(frame, hit);
  if (cell.row < 0 && cell.column < 0) return;
  const Compared& compared = *frame.found;
  light(frame, first_of(compared.rows, cell.row, false), first_of(compared.columns, cell.column, false));
  if (cell.row >= 0 && cell.column >= 0) {
    const HeadDifference& d = compared.difference;
    say_at_mouse(frame.scene, fill(tr("{} → {}: A {}, B {}, A − B = {}"),
                                   {compared.rows.groups[static_cast<std::size_t>(cell.row)].label,
                                    compared.columns.groups[static_cast<std::size_t>(cell.column)].label,
                                    short_number(d.a.at({cell.row, cell.column})), short_number(d.b.at({cell.row, cell.column})),
                                    short_number(d.difference.at({cell.row, cell.column}))}));
  }
  pin_on_click(frame, hit);
}

// --- the three maps

// A side's value, or that the cell is masked.
std::string cell_words(const Tensor& values, const Tensor& mask, std::int64_t row, std::int64_t column) {
  if (row < 0 || column < 0 || row >= values.dim(0) || column >= values.dim(1)) return {};
  if (!mask.empty() && mask.at({row, column}) == 0) return tr("masked");
  return short_number(values.at({row, column}));
}

// The maps' rooms at the height that the sheet gives them.
struct Laid {
  float height = -1;
  Rooms rooms;
};

// What stands where a map cannot be shown.
std::string why_no_a(const Frame& frame) {
  const Pinned& pinned = *frame.context().pinned;
  return pinned.error          ? fill(tr("A cannot be computed: {}"), {spoken_in_window(*pinned.error)})
         : !pinned.trace       ? tr("computing A …")
         : !frame.sides.a.site ? tr("A has no attention of this kind.")
                               : tr("computing …");
}
std::string why_no_difference(const Frame& frame) {
  if (frame.error) return spoken_in_window(*frame.error);
  if (frame.found) return alignment_words(*frame.found);
  return frame.a && frame.b ? tr("computing …") : tr("The difference comes once both are there.");
}

// The three maps side by side, or below each other where that is too narrow. `width` is that of all of them.
Node maps_of(Sheet& sheet, const Shared& frame, float width) {
  const bool presented = sheet.scene.medium == sheet::Medium::presented;
  const bool beside = presented || width >= kThree;
  const float each = std::round((width - 2 * kPaneGap) / 3 * 1.16f);
  const Span high = presented ? Span{120, 400, kAny} : beside ? Span{std::min(kLeastMap, each), each, each} : Span(kStackedMap);
  std::vector<figures::HeatmapInput> maps;
  if (frame->a && frame->b && frame->sides.left->values.shape() == frame->sides.right->values.shape()) {
    maps = {*frame->a, *frame->b};
    if (frame->difference) maps.push_back(*frame->difference);
  }
  const Rooms widths = room_widths(maps, width, beside, sheet.scene.pen.measure);
  const auto rooms_at = [maps = std::move(maps), widths, presented, pen = sheet.scene.pen,
                         laid = std::make_shared<Laid>()](float height) -> const Rooms& {
    if (laid->height != height) *laid = {height, rooms_of(maps, widths, height, presented, pen.theme, pen.measure)};
    return laid->rooms;
  };
  const Lit& lit = frame->lit;
  const Sides& sides = frame->sides;
  struct One {
    const char* id;
    const std::optional<figures::HeatmapInput>& map;
    Cell cell;
    std::string number, instead;
    void (*hit)(const Frame&, const gl::Hit&);
  };
  const One all[] = {
      {"a",
       frame->a,
       {lit.a_row, lit.a_column},
       frame->a ? cell_words(sides.left->values, sides.left->mask, lit.a_row, lit.a_column) : "",
       frame->a ? "" : why_no_a(*frame),
       hit_a},
      {"b",
       frame->b,
       {lit.b_row, lit.b_column},
       frame->b ? cell_words(sides.right->values, sides.right->mask, lit.b_row, lit.b_column) : "",
       tr("computing …"),
       hit_b},
      {"difference",
       frame->difference,
       {lit.row, lit.column},
       frame->difference ? cell_words(frame->found->difference.difference, frame->found->difference.mask, lit.row, lit.column)
                         : "",
       frame->difference ? "" : why_no_difference(*frame),
       hit_difference}};
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < std::size(all); ++i) {
    const One& one = all[i];
    const float wide = widths[i].width;
    Node node;
    if (one.map) {
      const bool transposed = sheet.scene.view.transposed;
      const Pane shown{*one.map, one.cell.row, one.cell.column, one.number, transposed, presented};
      node = sheet.picture(
          {.id = one.id,
           .picture = [shown, rooms_at, i](Size s,
                                           const Pen& pen) { return pane(shown, rooms_at(s.h)[i], pen.theme, pen.measure); },
           .hit = [frame, hit = one.hit](const Drawn& drawn) { hit(*frame, drawn.hit); },
           .paper = {900, 820},
           .on_paper = [map = *one.map](Size s,
                                        const Pen& pen) { return figures::heatmap(map, s.w, s.h, pen.theme, pen.measure); }},
          beside ? Span{wide - 1, wide, wide} : Span{0, wide, wide}, high);
    } else {
      const bool failed = i == 0 ? frame->context().pinned->error != nullptr : i == 2 && frame->error;
      node = sheet.words(one.id, one.instead, 15, failed ? sheet.scene.pen.theme.wrong : sheet.scene.pen.theme.secondary);
      node.presented = true;
      node.forms[0] = {beside ? Span{wide - 1, wide, wide} : Span{0, wide, wide}, [high](float) { return high; }};
    }
    nodes.push_back(std::move(node));
  }
  return beside ? Sheet::row("maps", kPaneGap, std::move(nodes)) : Sheet::column("maps", kPaneGap, std::move(nodes));
}

// --- above the maps

void swap_sides(const Context& context) {
  Document a = context.pinned->document;
  context.pin(true);  // the present state becomes A
  context.edit(std::move(a));
}

Node switches_of(Sheet& sheet, const Shared& frame) {
  const Context& context = frame->context();
  std::vector<Node> all;
  if (frame->sides.b.site) all = attention_nodes(sheet, frame->sides.b);
  all.push_back(page_choice(sheet, compare_view(), "shown"));
  all.push_back(sheet.button({.id = "swap",
                              .label = tr("Swap A and B"),
                              .why = tr("What is pinned becomes the present state, and the present one is pinned"),
                              .press = [&context] { swap_sides(context); },
                              .high = 28}));
  all.push_back(sheet.button({.id = "pin",
                              .label = tr("Pin again"),
                              .why = tr("The present state becomes A, in place of the pinned one"),
                              .press = [&context] { context.pin(true); },
                              .high = 28}));
  all.push_back(sheet.button({.id = "drop",
                              .label = tr("Drop A"),
                              .why = tr("Forgets the pinned state"),
                              .press = [&context] { context.pin(false); },
                              .high = 28}));
  return Sheet::flow("switches", 14, std::move(all));
}

constexpr float kLine = 28;

// A line as high as a button.
void put(const ui::Look& look, float x, const std::string& text, float size, Font font, figures::Color color, float most) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  look.figures.text(*ImGui::GetWindowDrawList(),
                    {at.x + look.px(x), std::round(at.y + look.px((kLine - look.figures.line_height(size, font)) / 2))}, text,
                    size, font, color, look.px(most));
}

Node title_of(Sheet& sheet) {
  const std::string title = tr("What differs, A → B");
  const float wide = std::ceil(sheet.scene.pen.measure.width(title, 16, Font::words_bold)) + 1;
  return sheet.by_hand(
      {.id = "fields",
       .draw = [title](const ui::Look& look, Size room) { put(look, 0, title, 16, Font::words_bold, look.theme.text, room.w); }},
      {std::min(wide, 60.0f), wide, wide}, kLine);
}

// The values of one field, and the button that gives B that of A.
Node field_of(Sheet& sheet, const FieldDifference& field, float width) {
  const Context& context = sheet.scene.context;
  const auto& measure = sheet.scene.pen.measure;
  const std::string name = std::string(tr(field.label.c_str())) + ":", values = field.a + " → " + field.b;
  const float button = std::ceil(measure.width(tr("take A's"), 14, Font::words)) + 28;
  const float widest = width - button - 16, named = std::min(measure.width(name, 14, Font::words), widest * 0.5f);
  const float room = std::ceil(std::min(widest, named + 7 + measure.width(values, 14, Font::words)));
  Part words;
  words.id = field.id + " values";
  words.explains = name + " " + values;
  words.draw = [name, values, named](const ui::Look& look, Size size) {
    put(look, 0, name, 14, Font::words, look.theme.secondary, named + 1);
    put(look, named + 6, values, 14, Font::words, look.theme.text, size.w - named - 5);
    ImGui::Dummy({look.px(size.w), look.px(size.h)});  // what its tooltip belongs to
  };
  std::vector<Node> both = {sheet.by_hand(std::move(words), {std::min(room, 120.0f), room, room}, kLine)};
  both.push_back(sheet.button({.id = "take " + field.id,
                               .label = tr("take A's"),
                               .why = tr("Gives B the value that A has; Ctrl+Z takes it back"),
                               .press =
                                   [&context, id = field.id] {
                                     auto taken = with_field_of(context.pinned->document, context.document, id);
                                     if (taken.ok())
                                       context.edit(std::move(taken).value());
                                     else
                                       context.say(spoken_in_window(taken.error()));
                                   },
                               .high = kLine}));
  return Sheet::row(field.id, 12, std::move(both));
}

// Above the maps, so that one reads first what was changed.
std::vector<Node> fields_of(Sheet& sheet, const Shared& frame, float width) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const auto fields = differing_fields(frame->context().pinned->document, frame->context().document);
  if (sheet.scene.medium == sheet::Medium::presented) {  // one line says what was changed
    std::string changes;
    for (const FieldDifference& field : fields)
      changes += (changes.empty() ? "" : ",  ") + std::string(tr(field.label.c_str())) + ": " + field.a + " → " + field.b;
    if (changes.empty()) return {};
    Node line = sheet.words("fields", changes, 15, theme.text);
    line.presented = true;
    return {std::move(line)};
  }
  std::vector<Node> line = {title_of(sheet)};
  for (const FieldDifference& field : fields) line.push_back(field_of(sheet, field, width));
  std::vector<Node> all = {Sheet::flow("differences", 20, std::move(line))};
  if (fields.empty())
    all.push_back(
        sheet.words("none",
                    tr("Nothing yet: A and B are the same document. Change anything: the sentence, a mask, the tokenizer, "
                       "the temperature, the model."),
                    14, theme.secondary));
  return all;
}

// --- below the maps

std::size_t rows_in(float height) { return static_cast<std::size_t>(std::clamp((height - kTableHead) / kTableRow, 3.0f, 8.0f)); }

void hit_changes(const Frame& frame, const gl::Hit& hit) {
  const auto& changes = frame.found->difference.changes;
  if (!hit.hovered || hit.tag.kind != figures::Tag::row || hit.tag.a >= static_cast<std::int64_t>(changes.size())) return;
  const auto& change = changes[static_cast<std::size_t>(hit.tag.a)];
  light(frame, first_of(frame.found->rows, change.row, false), first_of(frame.found->columns, change.column, false));
  if (hit.clicked) pin_lit(frame);
}

// As many as fit, at least three; on paper all of them.
Node changes_of(Sheet& sheet, const Shared& frame, float width) {
  const auto draw = [frame](Size s, const Pen& pen) {
    const std::size_t most = rows_in(s.h);
    figures::TableInput input = changes_input(*frame->found, most);
    const auto& changes = frame->found->difference.changes;
    for (std::size_t i = 0; i < changes.size() && i < most; ++i)
      if (changes[i].row == frame->lit.row && changes[i].column == frame->lit.column) input.hot = static_cast<std::int64_t>(i);
    return figures::table(input, s.w, pen.theme, pen.measure);
  };
  const auto on_paper = [frame](Size s, const Pen& pen) {
    return figures::table(changes_input(*frame->found, kMostChanges), s.w, pen.theme, pen.measure);
  };
  const float wide = std::min(width, 640.0f);
  return sheet.picture({.id = "changes",
                        .picture = draw,
                        .hit = [frame](const Drawn& drawn) { hit_changes(*frame, drawn.hit); },
                        .paper = {608, 0},
                        .on_paper = on_paper,
                        .framed = true},
                       {std::min(wide, 200.0f), wide, wide},
                       Span{kTableHead + 3 * kTableRow, kTableHead + 4 * kTableRow, kTableHead + 8 * kTableRow});
}

Node below_of(Sheet& sheet, const Shared& frame, float width) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const bool two = width >= 700;
  const float half = two ? std::floor((width - 32) / 2) : width;
  Node summary = Sheet::column("summary", 4,
                               {sheet.words("moved", moved_words(*frame->found, frame->sides), 15, theme.text),
                                sheet.words("alignment", alignment_words(*frame->found), 14, theme.secondary)});
  summary.wide = {std::min(half, 200.0f), half, half};
  std::vector<Node> all = {std::move(summary)};
  if (!frame->found->difference.changes.empty()) all.push_back(changes_of(sheet, frame, half));
  Node below = two ? Sheet::row("below", 32, std::move(all)) : Sheet::column("below", 8, std::move(all));
  below.presented = false;
  return below;
}

// The three side by side, for a file.
figures::Figure comparison(const Frame& frame, float width) {
  if (!frame.difference) return {};
  const Pen& pen = frame.scene.pen;
  const float each = std::max(420.0f, width / 2);
  figures::Figure all = figures::side_by_side({figures::heatmap(*frame.a, each, each, pen.theme, pen.measure),
                                               figures::heatmap(*frame.b, each, each, pen.theme, pen.measure),
                                               figures::heatmap(*frame.difference, each, each, pen.theme, pen.measure)},
                                              3, kPaneGap);
  all.background = pen.theme.background;
  all.title = attention_title(frame.sides.b) + ": A − B";
  return all;
}

Sheet sheet_of(const Scene& scene) {
  Sheet sheet(scene);
  const bool presented = scene.medium == sheet::Medium::presented, in_file = scene.medium == sheet::Medium::file;
  if (!scene.context.pinned) {
    if (in_file) return sheet;
    sheet.root = offers_column(sheet);
    sheet.root.scrolls = !presented;
    return sheet;
  }
  const auto frame = std::make_shared<const Frame>(frame_of(scene));
  if (in_file) {
    sheet.root =
        sheet.picture({.id = "all", .picture = [frame](Size s, const Pen&) { return comparison(*frame, s.w); }}, {0, 860, kAny});
    return sheet;
  }
  const float width = scene.room.w - (presented ? 0 : kScrollBar);
  std::vector<Node> all;
  if (!presented) all.push_back(switches_of(sheet, frame));
  for (Node& node : fields_of(sheet, frame, width)) all.push_back(std::move(node));
  all.push_back(maps_of(sheet, frame, width));
  if (frame->difference) {
    if (presented) {
      all.push_back(sheet.words("moved", moved_words(*frame->found, frame->sides), 14, scene.pen.theme.secondary));
      all.back().presented = true;
      all.back().rank = 2;
    } else {
      all.push_back(below_of(sheet, frame, width));
    }
  }
  sheet.root = Sheet::column("compare", {4, 6, 8}, std::move(all));
  sheet.root.scrolls = !presented;
  return sheet;
}

}  // namespace
}  // namespace comparing

const View& compare_view() {
  using namespace comparing;
  static const View view = {
      .id = "compare",
      .label = tr_later("Compare"),
      .sees = tr_later("Two states beside each other, and their difference"),
      .formula = "A − B",
      .source = "",
      .group = "measure",
      .icon = "3,4 9,4 9,16 3,16 3,4; 11,4 17,4 17,16 11,16 11,4; 11,10 17,10",
      .pages = {{"scores", tr_later("scores"), tr_later("q·k of every query with every key, before scale and mask"), false, ""},
                {"masked_scores", tr_later("masked"), tr_later("The scaled scores after the mask, as the softmax gets them"),
                 false, ""},
                {"", tr_later("weights"), tr_later("What the softmax makes of them: each query's weights sum to 1"), true, ""}},
      .page = [](ViewState& view) -> std::string& { return view.shown; },
      .first = "weights",
      .has_page = [](const Context& context, const std::string&) { return context.pinned != nullptr; },
      .sheet = sheet_of,
      .full_width = true,
      .exports = {{"all", "compare", "the pinned state of a session beside the present one, and the difference"}},
      .filed = "all",
      .of_head = [](const ViewState&) { return true; },
      .offers = {{Offers::comparison}}};
  return view;
}

}  // namespace headlight::views
