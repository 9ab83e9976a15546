// The Heads tab: every head of every layer as a thumbnail, what the selected one does in numbers, and its pattern large.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/compose.h"
#include "app/figures/layouts.h"
#include "app/gl/figure_view.h"
#include "app/panels/attention_choice.h"
#include "app/panels/panels.h"
#include "app/window/style.h"
#include "app/window/widgets.h"
#include "engine/pipeline/explain.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kGap = 24;

std::string head_title(const AttentionChoice& choice) {
  const std::string kind = choice.kind == "encoder."   ? "encoder, "
                           : choice.kind == "decoder." ? "decoder, "
                           : choice.kind.empty()       ? ""
                                                       : "cross, ";
  return kind + "layer " + std::to_string(choice.site->layer) + ", head " + std::to_string(choice.head);
}

// "random weights, seed 0", where that is what they are.
std::string weights_note(const Trace& trace, const AttentionChoice& choice) {
  const Step* step = trace.find(choice.prefix() + "weights");
  if (!step || !step->random_weights) return {};
  return "random weights, seed " + std::to_string(trace.document().seed);
}

const char* step_of(const ViewState& view) {
  return view.shown == "scores" ? "scores" : view.shown == "masked_scores" ? "masked_scores" : "weights";
}

// The whole picture of the selected head as data; the view's zoom and what is lit are added by the screen alone.
figures::HeatmapInput head_input(const Context& context, const AttentionChoice& choice, const HeadPicture& picture) {
  const Trace& trace = *context.trace;
  figures::HeatmapInput input;
  input.values = picture.values;
  input.mask = picture.mask;
  input.key = picture.key;
  input.row_labels = row_labels(trace, choice);
  input.column_labels = column_labels(trace, choice);
  if (context.view.transposed) {
    std::swap(input.row_labels, input.column_labels);
    std::swap(input.row_axis, input.column_axis);
  }
  input.note = weights_note(trace, choice);
  const std::string shown = step_of(context.view);
  if (shown == "weights") {
    input.colormap = context.view.colormap == "signed" ? "viridis" : context.view.colormap;
    if (context.view.range == "own" && picture.largest > 0) input.high = static_cast<float>(picture.largest);
    input.range_words = (context.view.range == "own" ? "weight, up to its largest, " : "weight, fixed 0..1, ") + input.colormap;
  } else {
    input.colormap = "signed";
    input.high = picture.largest > 0 ? static_cast<float>(picture.largest) : 1.0f;
    input.low = -input.high;
    input.range_words = shown == "scores" ? "score q·k, symmetric about 0" : "scaled score, symmetric about 0";
  }
  return input;
}

figures::GridInput grid_input(const Context& context, const AttentionChoice& choice, const GridPictures& pictures) {
  figures::GridInput input;
  input.layers = static_cast<std::int64_t>(choice.layers.size());
  input.heads = choice.site->heads;
  input.values = pictures.values;
  input.masks = pictures.masks;
  input.keys = pictures.keys;
  input.colormap = context.view.colormap == "signed" ? "viridis" : context.view.colormap;
  if (context.view.range == "own" && pictures.largest > 0) input.high = static_cast<float>(pictures.largest);
  input.range_words = (context.view.range == "own" ? "weight, up to the largest of all, " : "weight, fixed 0..1, ") + input.colormap;
  input.cell_words = "in each picture: row = query, column = key";
  if (pictures.block > 1)
    input.cell_words +=
        "; each cell is the largest of " + std::to_string(pictures.block) + " x " + std::to_string(pictures.block);
  input.note = weights_note(*context.trace, choice);
  return input;
}

figures::Figure figure_of_head(const Context& context, float width, float height) {
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site) return {};
  const auto picture = head_picture(context, choice, *choice.site, choice.head, step_of(context.view), context.view.transposed);
  if (!picture) return {};
  figures::HeatmapInput input = head_input(context, choice, *picture);
  input.title = head_title(choice);
  return figures::heatmap(input, width, height, context.theme, context.measure);
}

figures::Figure figure_of_grid(const Context& context, float width, float height) {
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site) return {};
  const auto pictures = grid_pictures(context, choice);
  if (!pictures) return {};
  figures::GridInput input = grid_input(context, choice, *pictures);
  input.title = "all heads";
  return figures::head_grid(input, width, height, context.theme, context.measure);
}

void export_menu(Context& context, const char* id, bool head_first) {
  if (!ImGui::BeginPopup(id)) return;
  push_font(context, Font::words, 14);
  const auto one = [&] {
    if (ImGui::MenuItem("Export this head…")) context.export_figure(figure_of_head(context, 900, 820));
  };
  const auto all = [&] {
    if (ImGui::MenuItem("Export the grid of all heads…")) context.export_figure(figure_of_grid(context, 1000, 1000));
  };
  if (head_first) one();
  all();
  if (!head_first) one();
  ImGui::PopFont();
  ImGui::EndPopup();
}

// Statistics of the selected head: its name, then three bars.
figures::Figure numbers_figure(const HeadStatistics& s, const std::string& note, bool self_attention, float width,
                               const Context& context) {
  figures::Figure figure;
  figure.width = width;
  const figures::Composer pen{figure, context.theme, context.measure};
  pen.text(0, 11, s.words.empty() ? "one key a row: nothing to choose" : s.words, 15, Font::words, context.theme.text,
           figures::Align::start, width);
  pen.text(0, 32, note.empty() ? "means over rows with a choice" : note + "; means of its rows", 13, Font::words,
           context.theme.secondary, figures::Align::start, width);
  float y = 58;
  const float names = 142, numbers = 92, track = std::min(240.0f, std::max(20.0f, width - names - numbers));
  const auto bar = [&](const char* name, double share, const std::string& number) {
    pen.text(0, y, name, 13, Font::words, context.theme.secondary);
    pen.bar({names, y - 4.5f, track, 9}, share, context.theme.info);
    pen.text(names + track + 12, y, number, 13, Font::mono, context.theme.text);
    y += 23;
  };
  char text[32];
  std::snprintf(text, sizeof text, "%.2f nat", s.entropy);
  bar("row entropy", s.relative_entropy, text);
  std::snprintf(text, sizeof text, "%.2f", s.first_token);
  bar("mass on first token", s.first_token, text);
  if (self_attention) {
    std::snprintf(text, sizeof text, "%.2f tok", s.distance);
    bar("mean distance", s.relative_distance, text);
  }
  figure.height = y - 10;
  return figure;
}
constexpr float kNumbersHeight = 118;

void draw_switches(Context& context, const window::Look& look, const AttentionChoice& choice) {
  if (choice.kinds.size() > 1) {
    std::vector<const char*> labels;
    int selected = 0;
    for (std::size_t i = 0; i < choice.kinds.size(); ++i) {
      labels.push_back(choice.kinds[i].label.c_str());
      if (choice.kinds[i].id == choice.kind) selected = static_cast<int>(i);
    }
    const int clicked = window::segmented(look, "site", labels.data(), static_cast<int>(labels.size()), selected);
    if (clicked >= 0) {
      context.view.site = choice.kinds[static_cast<std::size_t>(clicked)].id;
      context.view.pinned_row = context.view.pinned_column = -1;
    }
  }
  const auto sentences = static_cast<std::int64_t>(context.trace->texts().size());
  if (sentences > 1) {
    if (choice.kinds.size() > 1) ImGui::SameLine(0, look.px(16));
    const std::string label = "sentence " + std::to_string(choice.batch + 1) + " of " + std::to_string(sentences);
    if (window::button(look, "<##sentence", look.px(28), 28, false, choice.batch > 0)) context.view.batch = choice.batch - 1;
    ImGui::SameLine(0, look.px(8));
    ImGui::AlignTextToFramePadding();
    window::words(look, label, look.theme.secondary);
    ImGui::SameLine(0, look.px(8));
    if (window::button(look, ">##sentence", look.px(28), 28, false, choice.batch + 1 < sentences))
      context.view.batch = choice.batch + 1;
  }
}

void draw_left(Context& context, const window::Look& look, const AttentionChoice& choice, float width, float height) {
  const float top = ImGui::GetCursorPosY();
  const bool switches = choice.kinds.size() > 1 || context.trace->texts().size() > 1;
  window::words(look, "layers × heads, " + std::to_string(choice.layers.size()) + " × " + std::to_string(choice.site->heads),
                look.theme.secondary);
  if (switches) draw_switches(context, look, choice);
  const float used = (ImGui::GetCursorPosY() - top) / context.scale;
  const float room = std::max(40.0f, height - used - kNumbersHeight - 28);
  if (const auto pictures = grid_pictures(context, choice)) {
    figures::GridInput input = grid_input(context, choice, *pictures);
    input.bare = true;
    input.selected_layer = std::find(choice.layers.begin(), choice.layers.end(), choice.site) - choice.layers.begin();
    input.selected_head = choice.head;
    input.hot_layer = context.hover.now.layer;
    input.hot_head = context.hover.now.head;
    figures::Figure figure = figures::head_grid(input, width, room, context.theme, context.measure);
    figure.background.a = 0;
    const gl::Hit hit = context.figures.draw(figure, "grid");
    if (hit.tag.kind == figures::Tag::thumbnail) {
      context.hover.next.layer = hit.tag.a;
      context.hover.next.head = hit.tag.b;
      const AttentionSite& site =
          *choice.layers[static_cast<std::size_t>(std::clamp<std::int64_t>(hit.tag.a, 0, input.layers - 1))];
      if (const auto s = statistics(context, choice, site, hit.tag.b))
        window::tooltip(look, "layer " + std::to_string(site.layer) + ", head " + std::to_string(hit.tag.b) +
                                  (s->words.empty() ? "" : ": " + s->words));
      if (hit.clicked) {
        context.view.layer = hit.tag.a;
        context.view.head = hit.tag.b;
      }
    }
    if (hit.right_clicked) ImGui::OpenPopup("grid menu");
    export_menu(context, "grid menu", false);
  } else {
    window::words(look, "making the thumbnails …", look.theme.secondary);
  }
  ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY() + look.px(6), top + look.px(used)));
  if (const auto s = statistics(context, choice, *choice.site, choice.head)) {
    const figures::Figure numbers =
        numbers_figure(*s, weights_note(*context.trace, choice), choice.site->site != masks::Site::cross, width, context);
    context.figures.draw(numbers, "numbers");
  }
}

// The window into the matrix that zoom and pan ask for, in cells of one axis.
struct Window {
  std::int64_t first = 0, count = 0;
};
Window window_of(std::int64_t size, double zoom, double pan) {
  const auto count = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(static_cast<double>(size) / zoom)),
                                              std::min<std::int64_t>(size, 3), size);
  return {std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(pan)), 0, size - count), count};
}

void zoom_and_pan(ViewState& view, const gl::Hit& hit, const figures::Figure& figure, std::int64_t rows, std::int64_t columns) {
  const figures::Cells* cells = nullptr;
  for (const auto& item : figure.items)
    if (const auto* c = std::get_if<figures::Cells>(&item); c && c->tag.kind == figures::Tag::cell_area) cells = c;
  if (!cells || cells->rows == 0 || cells->columns == 0) return;
  const double most = std::max(1.0, static_cast<double>(std::max(rows, columns)) / 3);
  if (hit.hovered && hit.wheel != 0 && hit.tag.kind == figures::Tag::cell_area) {
    const double before = view.zoom, after = std::clamp(before * std::pow(1.25, hit.wheel), 1.0, most);
    // The cell under the mouse stays there.
    const double share_x = (hit.at.x - cells->box.x) / cells->box.w, share_y = (hit.at.y - cells->box.y) / cells->box.h;
    const double at_x = static_cast<double>(cells->tag.b) + share_x * static_cast<double>(cells->columns);
    const double at_y = static_cast<double>(cells->tag.a) + share_y * static_cast<double>(cells->rows);
    view.zoom = after;
    view.pan_x = at_x - share_x * static_cast<double>(window_of(columns, after, 0).count);
    view.pan_y = at_y - share_y * static_cast<double>(window_of(rows, after, 0).count);
  }
  if (hit.dragging) {
    view.pan_x -= hit.drag.x / cells->box.w * static_cast<double>(cells->columns);
    view.pan_y -= hit.drag.y / cells->box.h * static_cast<double>(cells->rows);
  }
  if (hit.double_clicked || view.zoom <= 1.0) {
    view.zoom = 1;
    view.pan_x = view.pan_y = 0;
  }
  view.pan_x = std::clamp(view.pan_x, 0.0, static_cast<double>(columns - window_of(columns, view.zoom, 0).count));
  view.pan_y = std::clamp(view.pan_y, 0.0, static_cast<double>(rows - window_of(rows, view.zoom, 0).count));
}

// A token of the sentence that another panel's byte range lies on; -1: none.
std::int64_t token_at(const Trace& trace, bool targets, std::int64_t batch, const Hot& hot) {
  if (hot.byte_start < 0 || hot.in_target != targets) return -1;
  const auto sentences = targets ? trace.targets() : trace.texts();
  if (batch >= static_cast<std::int64_t>(sentences.size())) return -1;
  const auto& tokens = sentences[static_cast<std::size_t>(batch)].tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].start < hot.byte_end && tokens[i].end > hot.byte_start) return static_cast<std::int64_t>(i);
  return -1;
}

void draw_right_header(Context& context, const window::Look& look, const AttentionChoice& choice, float width) {
  const float start = ImGui::GetCursorPosX(), top = ImGui::GetCursorPosY();
  const std::string title = head_title(choice);
  const float title_width = context.measure.width(title, window::kHeading, Font::words_bold);
  context.figures.text(*ImGui::GetWindowDrawList(), {ImGui::GetCursorScreenPos().x, ImGui::GetCursorScreenPos().y + look.px(4)},
                       title, window::kHeading, Font::words_bold, look.theme.text);
  static constexpr const char* kLabels[] = {"scores", "masked", "weights"};
  static constexpr const char* kSteps[] = {"scores", "masked_scores", "weights"};
  constexpr float kButtons = 330;
  const bool below = title_width + kGap + kButtons > width;  // a narrow window: the buttons on their own line
  ImGui::SetCursorPos(below ? ImVec2(start, top + look.px(30))
                            : ImVec2(start + look.px(std::min(title_width + kGap, width - kButtons)), top));
  const std::string shown = step_of(context.view);
  const int selected = shown == "scores" ? 0 : shown == "masked_scores" ? 1 : 2;
  if (const int clicked = window::segmented(look, "shown", kLabels, 3, selected); clicked >= 0)
    context.view.shown = kSteps[clicked];
  ImGui::SameLine(0, look.px(16));
  if (window::button(look, "transpose", 0, 28, context.view.transposed)) {
    context.view.transposed = !context.view.transposed;
    std::swap(context.view.pan_x, context.view.pan_y);
  }
  window::tooltip(look, context.view.transposed ? "Rows are keys now: put the queries down again"
                                                : "Put the keys down and the queries across, as the slides do");
  ImGui::SetCursorPos({start, top + look.px(below ? 64 : 34)});
}

void draw_right(Context& context, const window::Look& look, const AttentionChoice& choice, float width, float height) {
  const float top = ImGui::GetCursorPosY();
  draw_right_header(context, look, choice, width);
  ViewState& view = context.view;
  const float used = (ImGui::GetCursorPosY() - top) / context.scale;
  const auto picture = head_picture(context, choice, *choice.site, choice.head, step_of(view), view.transposed);
  if (!picture) {
    window::words(look, "making the picture …", look.theme.secondary);
    return;
  }
  figures::HeatmapInput input = head_input(context, choice, *picture);
  const std::int64_t rows = picture->values.dim(0), columns = picture->values.dim(1);
  if (rows == 0 || columns == 0) return;
  const Hot& now = context.hover.now;
  // What is lit: the hovered cell, a token hovered elsewhere, or else the pinned cell.
  std::int64_t query = now.row, key = now.column;
  if (now.byte_start >= 0) {
    query = token_at(*context.trace, choice.site->rows_are_targets, choice.batch, now);
    key = token_at(*context.trace, choice.site->columns_are_targets, choice.batch, now);
  } else if (query < 0 && key < 0) {
    query = view.pinned_row;
    key = view.pinned_column;
  }
  input.hot_row = view.transposed ? key : query;
  input.hot_column = view.transposed ? query : key;
  if (view.zoom > 1) {
    const Window down = window_of(rows, view.zoom, view.pan_y), across = window_of(columns, view.zoom, view.pan_x);
    input.first_row = down.first;
    input.row_count = down.count;
    input.first_column = across.first;
    input.column_count = across.count;
  }
  input.note.clear();  // it stands beside the thumbnails already
  figures::Figure figure = figures::heatmap(input, width, std::max(60.0f, height - used - 14), context.theme, context.measure);
  figure.background.a = 0;
  figure.height -= 12;  // its lower margin: the line about the sums stands there
  const gl::Hit hit = context.figures.draw(figure, "head");
  if (hit.hovered) {
    std::int64_t row = -1, column = -1;
    if (hit.tag.kind == figures::Tag::cell_area) {
      row = hit.row;
      column = hit.column;
    } else if (hit.tag.kind == figures::Tag::row) {
      row = hit.tag.a;
    } else if (hit.tag.kind == figures::Tag::column) {
      column = hit.tag.a;
    }
    context.hover.next.row = view.transposed ? column : row;
    context.hover.next.column = view.transposed ? row : column;
    // A click is a press and a release in one place: a drag pans and pins nothing.
    const ImGuiIO& io = ImGui::GetIO();
    const float threshold = io.MouseDragThreshold;
    if (hit.tag.kind == figures::Tag::cell_area && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
        io.MouseDragMaxDistanceSqr[0] < threshold * threshold) {
      const bool again = view.pinned_row == context.hover.next.row && view.pinned_column == context.hover.next.column;
      view.pinned_row = again ? -1 : context.hover.next.row;
      view.pinned_column = again ? -1 : context.hover.next.column;
    }
    if (hit.right_clicked) ImGui::OpenPopup("head menu");
  }
  export_menu(context, "head menu", true);
  zoom_and_pan(view, hit, figure, rows, columns);
  const auto s = statistics(context, choice, *choice.site, choice.head);
  if (!s) return;
  char sum[64];
  std::snprintf(sum, sizeof sum, "%s sum to %.6f", view.transposed ? "columns" : "rows", s->worst_row_sum);
  const bool good = std::abs(s->worst_row_sum - 1) < 5e-6;
  float legend = 16;  // under the colour bar
  for (const auto& item : figure.items)
    if (const auto* bar = std::get_if<figures::ColorBar>(&item)) legend = bar->box.x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + look.px(legend));
  const float line = ImGui::GetCursorPosY();
  window::words(look, sum, good ? look.theme.good : look.theme.wrong);
  if (view.shown != "scores" && view.shown != "masked_scores") {
    ImGui::SameLine(0, look.px(24));
    ImGui::SetCursorPosY(line - look.px(3));
    if (window::button(look, "0..largest", 0, 24, view.range == "own")) view.range = view.range == "own" ? "fixed" : "own";
    window::tooltip(look, view.range == "own"
                              ? "Colours from 0 to the largest weight shown: back to 0..1"
                              : "Colours from 0 to the largest weight shown, for long texts whose weights are all small");
  }
  if (view.zoom > 1) {
    ImGui::SameLine(0, look.px(24));
    ImGui::SetCursorPosY(line);
    char zoom[64];
    std::snprintf(zoom, sizeof zoom, "zoom %.1f ×, double click for the whole", view.zoom);
    window::words(look, zoom, look.theme.secondary);
  }
}

void draw(Context& context) {
  const window::Look look{context.theme, context.fonts, context.figures, context.scale};
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site) {
    window::words(look,
                  context.error       ? ""
                  : context.trace     ? "There is nothing to attend to yet: type a sentence."
                  : context.computing ? "computing …"
                                      : "Nothing is computed yet.",
                  look.theme.secondary, 15);
    return;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = room.x / context.scale, height = room.y / context.scale;
  const float left = std::clamp(width * (width < 1000 ? 0.4f : 0.45f), 220.0f, 620.0f);
  const ImGuiWindowFlags quiet =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("grid side", {look.px(left), room.y}, ImGuiChildFlags_NavFlattened, quiet))
    draw_left(context, look, choice, left, height);
  ImGui::Dummy({0, 0});  // what moved the cursor last may have drawn nothing
  ImGui::EndChild();
  ImGui::SameLine(0, look.px(kGap));
  if (ImGui::BeginChild("head side", {0, room.y}, ImGuiChildFlags_NavFlattened, quiet))
    draw_right(context, look, choice, std::max(100.0f, width - left - kGap), height);
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

Entry heads_panel() {
  return {"heads", "Heads", "weights = softmax(q kᵀ / √d_k + mask)", "Vaswani et al. 2017", draw, figure_of_head};
}

}  // namespace headlight::panels
