#include "app/views/walk/opened.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figures/attention/layouts.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/legend.h"
#include "app/gl/figure_view.h"
#include "app/inspector/inspector.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/figure_menu.h"
#include "app/views/base/query_axis.h"
#include "app/views/base/zoom.h"
#include "app/views/walk/numbers_picture.h"
#include "imgui.h"

namespace headlight::views::walk {
namespace {

using figures::Font;
using figures::WalkBox;
using Side = figures::WalkPicture::Side;

constexpr float kPagesRow = 34;             // from one row of buttons to the next
constexpr float kLowPages = 300;            // a place so low has no second row of them
constexpr float kMostOfHeight = 0.2f;       // so much of the height several rows may take; the values have the rest
constexpr float kLow = 420, kLegend = 190;  // a place so low has its legend beside the cells, so wide

// What can be shown of the box `index` and its neighbours in the stop: steps, then their matrices. Without a step: the box's
// candidates for the next word.
struct Page {
  int box = 0;
  std::string step, label;
};

const figures::WalkCandidates* candidates_of(const WalkScene& scene, int index) {
  const auto& all = scene.input.candidates;
  return index < static_cast<int>(all.size()) ? all[static_cast<std::size_t>(index)].get() : nullptr;
}

std::vector<Page> pages_of(const WalkScene& scene, const Trace& trace, int index) {
  std::vector<Page> pages;
  const auto& graph = *scene.graph;
  const auto& stop = graph.stops[static_cast<std::size_t>(graph.stop_of(index))];
  const bool candidates = candidates_of(scene, index) != nullptr;
  if (candidates) pages.push_back({index, {}, tr("best tokens")});
  for (const int i : stop.boxes) {
    const WalkBox& box = graph.boxes[static_cast<std::size_t>(i)];
    // Of the stop's other boxes only what the diagram shows of them.
    for (const std::string& step : box.steps)
      if (i == index || step == box.step())
        pages.push_back({i, step, candidates ? tr("every number") : walk_step_title(box, step)});
  }
  for (const int i : stop.boxes) {
    const WalkBox& box = graph.boxes[static_cast<std::size_t>(i)];
    // The embedding table is never made whole; its rows in use are the box's own values.
    if (box.role == Role::embedding) continue;
    for (const std::string& name : box.parameters)
      for (const NamedParameter& parameter : trace.parameters())
        if (parameter.name == name && element_count(parameter.shape) <= (std::int64_t{1} << 22))
          pages.push_back({i, name, own_name(name)});
  }
  return pages;
}

void zoom_and_pan(Zoom zoom, const gl::Hit& hit, const figures::Figure& figure) {
  const figures::Cells* cells = nullptr;
  for (const auto& item : figure.items)
    if (const auto* c = std::get_if<figures::Cells>(&item); c && c->tag.kind == figures::Tag::cell_area) cells = c;
  if (!cells || cells->rows == 0 || cells->columns == 0) return;
  const figures::Box& box = cells->box;
  if (hit.hovered && hit.wheel != 0 && hit.tag.kind == figures::Tag::cell_area)
    zoom.turn_wheel(hit.wheel, static_cast<double>((hit.at.x - box.x) / box.w), static_cast<double>((hit.at.y - box.y) / box.h),
                    window_of(*cells));
  if (hit.dragging)
    zoom.drag(static_cast<double>(hit.drag.x / box.w), static_cast<double>(hit.drag.y / box.h), window_of(*cells));
  if (hit.double_clicked)
    zoom.double_click(static_cast<double>((hit.at.x - box.x) / box.w), static_cast<double>((hit.at.y - box.y) / box.h),
                      window_of(*cells));
  zoom.keep_inside();
}

// Axes in words: queries attend, keys are attended to; the rest by the trace's own names.
std::string axis_words(Side side, const std::string& name, bool pattern) {
  if (pattern && side == Side::keys) return tr("key (is attended to)");
  if (name == "position") return tr("position (token)");
  if (name == "d_model") return tr("d_model (dimension)");
  if (name == "d_k") return tr("d_k (dimension of the head)");
  if (name == "d_ff") return tr("d_ff (detector)");
  return name;
}

figures::HeatmapInput heatmap_of(const Context& context, const WalkScene& scene, const Page& page, const WalkMatrix& matrix) {
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(page.box)];
  const Trace& trace = *context.trace;
  figures::HeatmapInput input;
  input.values = matrix.values;
  input.mask = matrix.mask;
  input.key = matrix.key;
  const bool pattern = matrix.rows == Side::queries && matrix.columns == Side::keys;
  input.row_labels = pattern ? row_labels(context, scene.choice) : walk_labels(trace, scene.choice, box, matrix.rows);
  input.column_labels = walk_labels(trace, scene.choice, box, matrix.columns);
  if (static_cast<std::int64_t>(input.row_labels.size()) != matrix.values.dim(0)) input.row_labels.clear();
  if (static_cast<std::int64_t>(input.column_labels.size()) != matrix.values.dim(1)) input.column_labels.clear();
  input.row_axis = pattern ? query_axis(context, scene.choice) : axis_words(matrix.rows, matrix.row_axis, pattern);
  input.column_axis = axis_words(matrix.columns, matrix.column_axis, pattern);
  const Step* of = trace.find(page.step);
  const bool weights = of && of->role == Role::weights;
  const bool zero_one = of && of->dtype == DType::u8;
  if (weights || zero_one) {
    input.colormap = scene.input.colormap;
    input.high = weights ? scene.input.weight_high : 1;
    input.range_words = zero_one ? tr("1 = may attend") : fill(tr("weight, {}"), {scene.input.colormap});
  } else {
    input.colormap = "signed";
    input.high = matrix.largest > 0 ? static_cast<float>(matrix.largest) : 1.0f;
    input.low = -input.high;
    input.range_words = tr("symmetric about 0");
  }
  bool random = of && of->origin == Origin::random;
  for (const NamedParameter& parameter : trace.parameters())
    random |= parameter.name == page.step && parameter.origin == Origin::random;
  if (random) input.note = fill(tr("random weights, seed {}"), {std::to_string(trace.document().seed)});
  return input;
}

std::string title_of(const WalkScene& scene, const Page& page, const Trace& trace) {
  const Step* step = trace.find(page.step);
  std::string title =
      candidates_of(scene, page.box) ? tr(scene.graph->boxes[static_cast<std::size_t>(page.box)].title.c_str()) : page.label;
  if (scene.choice.site && page.step.find("layer.") != std::string::npos) {
    title += ", " + fill(tr("layer {}"), {std::to_string(scene.graph->layer)});
    if (step && step->axes.size() == 4 && step->shape[head_axis(*step)] > 1)
      title += ", " + (step->shape[head_axis(*step)] < scene.choice.site->heads
                           ? shared_key_words(*scene.choice.site, scene.choice.head)
                           : fill(tr("head {}"), {std::to_string(scene.choice.head)}));
  }
  return title;
}

std::string shape_of(const Trace& trace, const std::string& name) {
  if (const Step* step = trace.find(name)) return figures::walk_shape(step->shape, step->axes, figures::WalkShape::named);
  for (const NamedParameter& parameter : trace.parameters())
    if (parameter.name == name) return figures::walk_shape(parameter.shape, parameter.axes, figures::WalkShape::named);
  return {};
}

// As many candidates for the next word as the place has room for.
void draw_candidates(const Context& context, const figures::WalkCandidates& candidates, float width, float height) {
  figures::Figure figure;
  figure.width = std::min(width, 560.0f);
  figure.height = std::min(height, candidates.single ? 80 : figures::candidates_height(candidates.rows.size(), context.measure));
  add_candidates(figure, candidates, {0, 0, figure.width, figure.height}, context.theme, context.measure);
  const gl::Hit hit = context.figures.draw(figure, "opened candidates");
  name_part(context, "walk:values");
  figure_menu(context, "opened candidates menu", hit, [&] { return figures::Figure(figure); });
}

// The text or the tokens: large chips with their ids, and the bytes each stands for on hovering.
void draw_sentence(const Context& context, const WalkScene& scene, float width, float height) {
  const bool targets = scene.graph->boxes.front().of_targets;
  const auto sentences = targets ? context.trace->targets() : context.trace->texts();
  if (scene.choice.batch >= static_cast<std::int64_t>(sentences.size())) return;
  const Sentence& sentence = sentences[static_cast<std::size_t>(scene.choice.batch)];
  figures::ChipRowsInput input;
  input.rows = std::max(1, static_cast<int>(height / (figures::kChipHeight + 6)) - 1);
  for (std::size_t i = 0; i < std::min<std::size_t>(2000, sentence.tokens.size()); ++i) {
    figures::Chip chip;
    chip.text = sentence.labels[i];
    chip.id = std::to_string(sentence.tokens[i].id);
    chip.hue = static_cast<int>(i % 12);
    chip.hot = scene.input.hot_query == static_cast<std::int64_t>(i);
    input.chips.push_back(std::move(chip));
  }
  input.total = static_cast<std::int64_t>(sentence.tokens.size());
  const figures::Figure figure = figures::chip_rows(input, width, context.theme, context.measure);
  const gl::Hit hit = context.figures.draw(figure, "opened tokens");
  if (hit.tag.kind == figures::Tag::token && hit.tag.a >= 0 && hit.tag.a < static_cast<std::int64_t>(sentence.tokens.size())) {
    const auto& token = sentence.tokens[static_cast<std::size_t>(hit.tag.a)];
    context.hover.next.byte_start = token.start;
    context.hover.next.byte_end = std::max(token.end, token.start);
    context.hover.next.in_target = targets;
    context.hover.next.token = hit.tag.a;
  }
  figure_menu(context, "opened tokens menu", hit, [&] { return figures::Figure(figure); });
}

// What is under the mouse, in words: "weights[query 3 ·blue, key 1 a] = 0.42".
std::string number_words(const Context& context, const WalkScene& scene, const Page& page, const WalkMatrix& matrix,
                         std::int64_t row, std::int64_t column) {
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(page.box)];
  const Trace& trace = *context.trace;
  const auto place = [&](Side side, const std::string& axis, std::int64_t index) {
    const bool writes = side == Side::queries && matrix.columns == Side::keys;
    const auto labels = writes ? row_labels(context, scene.choice) : walk_labels(trace, scene.choice, box, side);
    std::string words = axis + (axis.empty() ? "" : " ") + std::to_string(index);
    if (index < static_cast<std::int64_t>(labels.size())) words += " " + labels[static_cast<std::size_t>(index)];
    return words;
  };
  const bool hidden = !matrix.mask.empty() && matrix.mask.at({row, column}) == 0;
  return page.label + "[" + place(matrix.rows, matrix.row_axis, row) + ", " + place(matrix.columns, matrix.column_axis, column) +
         "] = " + (hidden ? std::string(tr("masked")) : walk_number(matrix.values.at({row, column})));
}

// Which row and column are lit: a query or key that is hovered anywhere, or the hovered or pinned value of this step.
void light_open(const Context& context, const WalkScene& scene, const Page& page, const WalkMatrix& matrix,
                figures::HeatmapInput& input) {
  const auto hot = [&](Side side) {
    return side == Side::queries ? scene.input.hot_query : side == Side::keys ? scene.input.hot_key : -1;
  };
  input.hot_row = hot(matrix.rows);
  input.hot_column = hot(matrix.columns);
  const ValueAddress& now = context.hover.now.value;
  const ViewState& view = context.view;
  const bool from_here = now.step == page.step;
  const bool pinned_here = !from_here && now.step.empty() && view.inspector.step == page.step;
  if (from_here || pinned_here) {
    const auto& index = from_here ? now.index : view.inspector.index;
    // The place of an address in this matrix, if it is of this sentence and head.
    if (index.size() >= 2) {
      const std::int64_t r = index[index.size() - 2], c = index.back();
      if (walk_address(*context.trace, scene.choice, page.step, r, c).index == index) {
        input.hot_row = r;
        input.hot_column = c;
      }
    }
  }
  if (input.hot_row >= matrix.values.dim(0)) input.hot_row = -1;
  if (input.hot_column >= matrix.values.dim(1)) input.hot_column = -1;
}

// What the hovered value lights elsewhere and says; a click pins it.
void hover_value(const Context& context, const ui::Look& look, const WalkScene& scene, const Page& page, const WalkMatrix& matrix,
                 const gl::Hit& hit) {
  const bool pattern = matrix.rows == Side::queries && matrix.columns == Side::keys && scene.choice.site;
  const std::int64_t row = hit.tag.kind == figures::Tag::cell_area ? hit.row : hit.tag.kind == figures::Tag::row ? hit.tag.a : -1;
  const std::int64_t column = hit.tag.kind == figures::Tag::cell_area ? hit.column
                              : hit.tag.kind == figures::Tag::column  ? hit.tag.a
                                                                      : -1;
  Hot& next = context.hover.next;
  if (matrix.rows == Side::queries) next.row = row;
  if (matrix.rows == Side::keys) next.column = row;
  if (matrix.columns == Side::keys) next.column = column;
  if (matrix.columns == Side::queries) next.row = column;
  if (hit.tag.kind == figures::Tag::cell_area) {
    next.value = walk_address(*context.trace, scene.choice, page.step, row, column);
    ui::tooltip(look, number_words(context, scene, page, matrix, row, column));
    const ImGuiIO& io = ImGui::GetIO();
    const float threshold = io.MouseDragThreshold;
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && io.MouseDragMaxDistanceSqr[0] < threshold * threshold) {
      ViewState& pins = context.view;
      // The second of a double click lets go of what the first pinned: after the zoom another cell is under the mouse.
      const bool again = io.MouseClickedLastCount[ImGuiMouseButton_Left] > 1 ||
                         (pins.inspector.step == page.step && pins.inspector.index == next.value.index);
      pins.inspector.step = again ? std::string() : page.step;
      pins.inspector.index = again ? std::vector<std::int64_t>() : next.value.index;
      if (pattern) {
        pins.pinned_row = again ? -1 : row;
        pins.pinned_column = again ? -1 : column;
      }
    }
  }
}

// The legend in a column `beside` points wide.
void draw_legend_beside(const Context& context, const figures::HeatmapInput& input, float beside, ImVec2 at) {
  figures::Legend legend = figures::legend_of(input);
  legend.notes.insert(legend.notes.begin(), std::exchange(legend.range_words, {}));
  legend.brief = true;
  std::vector<std::string> notes;
  for (const std::string& note : legend.notes)
    for (std::string& line : figures::wrap(note, beside, 13, Font::words, context.measure))
      if (!line.empty()) notes.push_back(std::move(line));
  legend.notes = std::move(notes);
  const ImVec2 end = ImGui::GetCursorPos();
  ImGui::SetCursorPos(at);
  (void)context.figures.draw(figures::legend_figure(legend, 0, beside, beside, context.theme, context.measure), "values legend");
  ImGui::SetCursorPos(end);
  ImGui::Dummy({0, 0});
}

void draw_matrix(const Context& context, const ui::Look& look, const WalkScene& scene, const Page& page, float width,
                 float height, bool zooms) {
  const Error* error = nullptr;
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(page.box)];
  const auto matrix = walk_matrix(context, scene.choice, box, page.step, &error);
  if (error) return ui::words(look, spoken_in_window(*error), look.theme.wrong, ui::kBody);
  if (!matrix) return ui::words(look, tr("reading the values …"), look.theme.secondary, ui::kBody);
  if (matrix->values.count() == 0) return ui::words(look, tr("there are no values"), look.theme.secondary, ui::kBody);
  const std::int64_t rows = matrix->values.dim(0), columns = matrix->values.dim(1);
  figures::HeatmapInput input = heatmap_of(context, scene, page, *matrix);
  auto& kept = context.transient->of<WalkTransient>();
  if (zooms && kept.zoomed != page.step) {
    kept.zoomed = page.step;
    kept.zoom = 1;
    kept.x = kept.y = 0;
  }
  double one = 1, nought = 0;
  double& factor = zooms ? kept.zoom : one;
  const Zoom zoom = zooms ? Zoom(factor, kept.x, kept.y, rows, columns) : Zoom(factor, nought, nought, rows, columns);
  light_open(context, scene, page, *matrix, input);
  if (factor > 1) {
    const PaneWindow seen = zoom.window();
    input.first_row = seen.first_row;
    input.row_count = seen.rows;
    input.first_column = seen.first_column;
    input.column_count = seen.columns;
  }
  figures::Figure figure;
  const ImVec2 start = ImGui::GetCursorPos();
  // In a low place what explains the colours stands beside the cells, which have the height.
  float beside = 0;
  if (auto numbers = figures::walk_numbers(input, width, height, context.theme, context.measure)) {
    figure = std::move(*numbers);
  } else {
    if (zooms && height < kLow && width >= 2 * kLegend) beside = kLegend;
    input.legend = zooms && beside <= 0;  // the small one stands under words that explain it
    figure = figures::heatmap(input, width - (beside > 0 ? beside + 16 : 0), height, context.theme, context.measure);
  }
  figure.background.a = 0;
  const float all = figure.width + (beside > 0 ? beside + 24 : 0), left = std::max(0.0f, (width - all) / 2);
  ImGui::SetCursorPosX(start.x + look.px(left));
  const gl::Hit hit = context.figures.draw(figure, "values");
  if (zooms && hit.hovered) ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);  // zooms and does not scroll the page
  if (zooms) name_part(context, "walk:values");
  figure_menu(context, "values menu", hit, [&] {
    figures::HeatmapInput paper = heatmap_of(context, scene, page, *matrix);
    paper.title = title_of(scene, page, *context.trace);
    return figures::heatmap(paper, 1000, 760, context.theme, context.measure);
  });
  if (hit.hovered) hover_value(context, look, scene, page, *matrix, hit);
  if (zooms) zoom_and_pan(zoom, hit, figure);
  if (beside > 0)
    draw_legend_beside(context, input, beside,
                       {start.x + look.px(std::min(width - beside, left + figure.width + 24)), start.y + look.px(8)});
}

void choose_page(const Context& context, const WalkScene& scene, const Page& page) {
  context.transient->of<WalkTransient>().page = page.step;
  own(context).step = own(context).open = scene.graph->boxes[static_cast<std::size_t>(page.box)].id;
}

// "< 2 / 9 >", for a place that has no height for several rows of buttons.
void draw_page_steps(const Context& context, const ui::Look& look, const WalkScene& scene, const std::vector<Page>& pages,
                     const Page* page) {
  const std::int64_t count = static_cast<std::int64_t>(pages.size()), at = page ? page - pages.data() : 0;
  std::int64_t to = at;
  ImGui::SameLine(0, look.px(16));
  if (ui::button(look, "<##walk page", look.px(30), 28, false, at > 0)) to = at - 1;
  ui::tooltip(look, tr("Which of this step's values are shown"));
  ImGui::SameLine(0, look.px(8));
  const std::string place = std::to_string(at + 1) + " / " + std::to_string(count);
  const ImVec2 here = ImGui::GetCursorScreenPos();
  look.figures.text(*ImGui::GetWindowDrawList(), {here.x, here.y + look.px(6)}, place, 13, Font::mono, look.theme.text);
  ImGui::Dummy({look.figures.width(place, 13, Font::mono) * look.scale, look.px(28)});
  ImGui::SameLine(0, look.px(8));
  if (ui::button(look, ">##walk page", look.px(30), 28, false, at + 1 < count)) to = at + 1;
  ui::tooltip(look, tr("Which of this step's values are shown"));
  if (to != at) choose_page(context, scene, pages[static_cast<std::size_t>(to)]);
}

// The buttons of the pages behind the one that is drawn last, in as many rows as they need; returns how many. A click chooses a
// page.
int draw_pages(const Context& context, const ui::Look& look, const WalkScene& scene, const std::vector<Page>& pages,
               const Page* page, ImVec2 start, float width, float height) {
  float x = (ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x - start.x) / context.scale + 16;
  const auto wide = [&](const Page& one) { return context.measure.width(one.label, 14, Font::words) + 28; };
  float all = x - 4;
  for (const Page& one : pages) all += wide(one);
  const float needed = kPagesRow * std::ceil(all / std::max(1.0f, width));
  if (all > width && (height < kLowPages || needed > kMostOfHeight * height)) {
    draw_page_steps(context, look, scene, pages, page);
    return 1;
  }
  int rows = 0;
  for (std::size_t first = 0; first < pages.size(); ++rows) {
    std::vector<const char*> labels;
    int selected = -1;
    float end = x - 4;
    for (std::size_t i = first; i < pages.size(); ++i) {
      end += wide(pages[i]);
      if (!labels.empty() && end > width) break;
      if (&pages[i] == page) selected = static_cast<int>(labels.size());
      labels.push_back(pages[i].label.c_str());
    }
    ImGui::SetCursorPos({start.x + look.px(x), start.y + look.px(kPagesRow * static_cast<float>(rows))});
    const std::string id = "walk pages" + std::to_string(rows);
    if (const int clicked = ui::segmented(look, id.c_str(), labels.data(), static_cast<int>(labels.size()), selected,
                                          tr("Which of this step's values are shown"));
        clicked >= 0)
      choose_page(context, scene, pages[first + static_cast<std::size_t>(clicked)]);
    first += labels.size();
    x = 0;
  }
  return rows;
}

// Draws box `index` in at most `width` x `height` points at ImGui's cursor. Returns false once the person has closed it.
bool draw_opened(const Context& context, const ui::Look& look, const WalkScene& scene, int index, float width, float height) {
  bool open = true;
  const ImVec2 start = ImGui::GetCursorPos();
  if (ui::button(look, ui::labelled(tr("back"), "walk back").c_str(), 0, 28)) open = false;
  ui::tooltip(look, tr("Back to the diagram (Esc)"));
  const std::vector<Page> pages = pages_of(scene, *context.trace, index);
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(index)];
  const std::string& chosen = context.transient->of<WalkTransient>().page;
  const figures::WalkCandidates* const candidates = candidates_of(scene, index);
  const Page* page = nullptr;
  for (const Page& one : pages)
    if (one.step == chosen) page = &one;
  if (!page)
    for (const Page& one : pages)
      if (!box.steps.empty() && one.step == box.step()) page = &one;
  const int rows = pages.size() > 1 ? draw_pages(context, look, scene, pages, page, start, width, height) : 1;
  float used = kPagesRow * static_cast<float>(rows - 1) + 40;
  // Title and shape beside the buttons where they fit, else on a line of their own; the hint where there is room left.
  const float after = (ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x - start.x) / context.scale + 18;
  const std::string title = page ? title_of(scene, *page, *context.trace) : std::string(tr(box.title.c_str()));
  const std::string shape = !page                ? std::string()
                            : page->step.empty() ? figures::walk_shape(box.shape, box.axes, figures::WalkShape::named)
                                                 : shape_of(*context.trace, page->step);
  const float wide = context.measure.width(title, ui::kHeading, Font::words_bold);
  const float all = wide + (shape.empty() ? 0 : 16 + context.measure.width(shape, 13, Font::mono));
  const bool beside = after + all <= width;
  float x = beside ? after : 0;
  const float y = beside ? used - 36 : used;
  const auto put = [&](const std::string& words, float size, Font font, figures::Color color, float down) {
    context.figures.text(*ImGui::GetWindowDrawList(),
                         {ImGui::GetWindowPos().x + start.x + look.px(x), ImGui::GetWindowPos().y + start.y + look.px(y + down)},
                         words, size, font, color, look.px(std::max(20.0f, width - x + 2)));
  };
  put(title, ui::kHeading, Font::words_bold, look.theme.text, 0);
  x += wide + 16;
  if (!shape.empty() && x + 40 < width) put(shape, 13, Font::mono, look.theme.secondary, 4);
  const bool list = candidates && page && page->step.empty();
  const bool matrix = page && !list && !(box.role == Role::tokens && page->step == box.step());
  const std::string hint = tr("scroll: zoom to the numbers, drag: move, double click: the whole, click: pin");
  const float room = context.measure.width(hint, 13, Font::words);
  x = width - room;
  if (matrix && x > (beside ? after + all : all) + 24) put(hint, 13, Font::words, look.theme.secondary, 4);
  if (beside) used -= 34;
  used += 28;
  ImGui::SetCursorPos({start.x, start.y + look.px(used)});
  if (list)
    draw_candidates(context, *candidates, width, std::max(80.0f, height - used));
  else if (matrix)
    draw_matrix(context, look, scene, *page, width, std::max(80.0f, height - used), true);
  else if (box.kind == WalkBox::Kind::text || box.role == Role::tokens)
    draw_sentence(context, scene, width, std::max(80.0f, height - used));
  return open;
}

}  // namespace

void draw_walk_values(const Context& context, const ui::Look& look, const WalkScene& scene, int index, float width,
                      float height) {
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(index)];
  if (const auto* candidates = candidates_of(scene, index)) return draw_candidates(context, *candidates, width, height);
  if (box.kind == WalkBox::Kind::text || box.role == Role::tokens) return draw_sentence(context, scene, width, height);
  if (box.steps.empty()) return;
  ImGui::PushID("small");
  draw_matrix(context, look, scene, {index, box.step(), tr(box.title.c_str())}, width, height, false);
  ImGui::PopID();
}

sheet::Node opened_page(Sheet& sheet, const Shared& frame) {
  // A place so narrow has no inspector, and one so low scrolls.
  constexpr float kLeastWidth = 488, kLeastInspector = 320, kLeastOpened = 165;
  const auto draw_values = [frame](const ui::Look& look, Size room) {
    const bool scrolls = room.h < kLeastOpened;
    bool open = true;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.px(8), look.px(8)));
    if (ImGui::BeginChild("opened", {look.px(room.w), look.px(room.h)}, ImGuiChildFlags_NavFlattened,
                          scrolls ? ImGuiWindowFlags_NoBackground : kQuiet))
      open = draw_opened(frame->context, look, frame->walk, frame->walk.input.lit, scrolls ? room.w - 12 : room.w,
                         scrolls ? kLeastOpened : room.h);
    ImGui::EndChild();
    ImGui::PopStyleVar();
    if (!open) own(frame->context).open.clear();
  };
  const auto draw_beside = [frame](const ui::Look& look, Size room) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.px(8), look.px(8)));
    ImGui::PushStyleColor(ImGuiCol_ChildBg, gl::vec4(look.theme.panel));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(14), look.px(10)));
    if (ImGui::BeginChild("walk inspector", {look.px(room.w), look.px(room.h)},
                          ImGuiChildFlags_AlwaysUseWindowPadding | ImGuiChildFlags_NavFlattened))
      draw_inspector(frame->context);
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
  };
  const float side = std::clamp(frame->scene.room.w * 0.3f, kLeastInspector, 376.0f);
  sheet::Node values = part_by_hand(sheet, "opened", draw_values), inspector = part_by_hand(sheet, "explained", draw_beside);
  sheet::Node alone = values;
  values.forms[0].wide = {kLeastWidth, kLeastWidth, sheet::kAny};
  inspector.forms[0].wide = {kLeastInspector, side, side};
  alone.forms[0].wide = {0, kLeastWidth, sheet::kAny};
  return Sheet::either({Sheet::row("values", kGap, {std::move(values), std::move(inspector)}), std::move(alone)});
}

}  // namespace headlight::views::walk
