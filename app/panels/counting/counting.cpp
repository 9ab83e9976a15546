// The Counting view: a model's sizes on the left, its matrices counted in the middle, what they weigh and cost on the right.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/counting/counting_data.h"
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

constexpr float kLeft = 196, kRight = 300, kGap = 24, kLeastMiddle = 430, kLeastBands = 130, kMostBands = 260, kCurves = 240,
                kLow = 620;

void choose_base(Context& context, const std::string& id) {
  CountingView kept;
  kept.base = id;
  kept.line = context.view.counting.line;
  kept.numbers = context.view.counting.numbers;
  context.view.counting = kept;
}

void draw_presets(Context& context, const ui::Look& look, const CountingState& state) {
  ui::words(look, tr("Preset"), look.theme.text, 16);
  const float half = (kLeft - 8) / 2;
  for (std::size_t i = 0; i < state.presets.size(); ++i) {
    const ModelSizes& preset = state.presets[i];
    if (i % 2) ImGui::SameLine(0, look.px(8));
    const bool on = preset.id == state.base.id && !state.own;
    ImGui::PushID(static_cast<int>(i));
    if (ui::button(look, preset.label.c_str(), look.px(half), 30, on)) choose_base(context, preset.id);
    ImGui::PopID();
    ui::tooltip(look, preset.source);
    name_part(context, "counting:" + preset.id);
  }
}

// A size with its name, its value and a slider; amber if it enters the line that is looked at.
void draw_knob(Context& context, const ui::Look& look, const CountingState& state, const CountingKnob& knob) {
  const ModelSizes& sizes = state.input.sizes;
  if (sizes.*knob.size == 0) return;  // a model without a feed-forward part
  bool enters = false;
  for (const CountedMatrix& m : state.input.count.lines)
    enters = enters || (m.id == state.input.line && std::find(m.sizes.begin(), m.sizes.end(), knob.id) != m.sizes.end());
  const std::string value = text::grouped_number(sizes.*knob.size);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  look.figures.text(list, at, tr(knob.label), 14, Font::words, look.theme.secondary);
  look.figures.text(list, {at.x + look.px(kLeft - look.figures.width(value, 15, Font::mono)), at.y}, value, 15, Font::mono,
                    enters ? look.theme.selected : look.theme.text);
  ImGui::Dummy({look.px(kLeft), look.px(17)});
  auto moved = static_cast<double>(sizes.*knob.size);
  const auto least = static_cast<double>(std::min(knob.least, sizes.*knob.size)),
             most = static_cast<double>(std::max(knob.most, sizes.*knob.size));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(4), look.px(1)});
  if (number_slider(look, (std::string("##") + knob.id).c_str(), &moved, least, most, true, look.px(kLeft)))
    context.view.counting.*knob.own = std::max<std::int64_t>(1, std::llround(moved));
  ImGui::PopStyleVar();
  name_part(context, std::string("counting:") + knob.id);
  if (ImGui::IsItemHovered() && state.status.ok()) {
    ModelSizes twice = sizes;
    twice.*knob.size *= 2;
    if (check(twice).ok())
      ui::tooltip(look,
                  fill(tr("Twice as much would make {} parameters of {}."),
                       {text::grouped_number(count_parameters(twice).total), text::grouped_number(state.input.count.total)}));
  }
}

void draw_left(Context& context, const ui::Look& look, const CountingState& state) {
  draw_presets(context, look, state);
  ImGui::Dummy({0, look.px(4)});
  ui::words(look, tr("Sizes"), look.theme.text, 16);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(state.input.low ? 1.0f : 5.0f)});
  for (const CountingKnob& knob : counting_knobs()) draw_knob(context, look, state, knob);
  ImGui::PopStyleVar();
  ui::words(look, tr("unembedding"), look.theme.secondary, 14);
  const char* const labels[] = {tr("its own"), tr("shared")};
  const int clicked = ui::segmented(look, "unembedding", labels, 2, state.input.sizes.shared ? 1 : 0,
                                    tr("Shared: the output matrix is the embedding table, turned, and is counted once"));
  if (clicked >= 0) context.view.counting.unembedding = clicked == 1 ? "shared" : "own";
  name_part(context, "counting:unembedding");
  ImGui::Dummy({0, look.px(2)});
  ui::words(look, tr("One output matrix a layer: its heads stand side by side in it."), look.theme.secondary, 13);
  const ParameterCount& c = state.input.count;
  if (c.total > 0) {
    char share[16];
    std::snprintf(share, sizeof share, "%.2f", 100 * static_cast<double>(c.left_out()) / static_cast<double>(c.total));
    ui::words(look, fill(tr("Left out: positions, biases, norms: {} ({} %)."), {text::grouped_number(c.left_out()), share}),
              look.theme.secondary, 13);
  }
}

void follow_hit(Context& context, const CountingState& state, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::row) return;
  const auto at = static_cast<std::size_t>(hit.tag.a);
  if (at >= state.input.count.lines.size()) return;
  const CountedMatrix& m = state.input.count.lines[at];
  if (hit.clicked) context.view.counting.line = context.view.counting.line == m.id ? "" : m.id;
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  ui::tooltip(look, fill(tr("{}: {} of {} × {}"), {tr(m.label.c_str()), text::grouped_number(m.matrices),
                                                   text::grouped_number(m.rows), text::grouped_number(m.columns)}));
}

void draw_middle(Context& context, const ui::Look& look, const CountingState& state, float width, float height) {
  if (!state.status.ok()) {
    ui::words(look, spoken_in_window(state.status.error()), look.theme.wrong);
    return;
  }
  const auto draw_part = [&](figures::Figure figure, const char* id, const char* part, FunctionRef<figures::Figure()> whole) {
    figure.background.a = 0;
    const gl::Hit hit = context.figures.draw(figure, id);
    name_part(context, part);
    follow_hit(context, state, hit);
    figure_menu(context, (std::string(id) + " menu").c_str(), hit, whole);
  };
  const float top = ImGui::GetCursorPosY();
  draw_part(figures::counting_table(state.input, width, context.theme, context.measure), "table", "counting:table", [&] {
    return figures::framed(figures::counting_table(state.input, 860, context.theme, context.measure), "", 16, context.theme);
  });
  ImGui::Dummy({0, look.px(6)});
  const float left = height - (ImGui::GetCursorPosY() - top) / look.scale - 6;
  draw_part(
      figures::parameter_bands(state.input, width, std::clamp(left, kLeastBands, kMostBands), context.theme, context.measure),
      "bands", "counting:bands", [&] {
        return figures::framed(figures::parameter_bands(state.input, 860, 260, context.theme, context.measure), "", 16,
                               context.theme);
      });
}

void draw_right(Context& context, const ui::Look& look, const CountingState& state, float width) {
  const char* const labels[] = {"fp16", "fp32"};
  const int clicked = ui::segmented(look, "bytes", labels, 2, context.view.counting.numbers == "fp32" ? 1 : 0,
                                    tr("How many bytes a number takes: two or four"));
  if (clicked >= 0) context.view.counting.numbers = labels[clicked];
  name_part(context, "counting:numbers");
  if (!state.status.ok()) return;
  const figures::CurvesInput curves = memory_curves(state.input);
  figures::Figure chart = figures::curves(curves, width, kCurves, context.theme, context.measure);
  chart.background.a = 0;
  const gl::Hit hit = context.figures.draw(chart, "memory");
  name_part(context, "counting:memory");
  if (const std::int64_t at = hit.hovered ? figures::curve_point_at(chart, curves, hit.at) : -1; at >= 0) {
    const double tokens = curves.x[static_cast<std::size_t>(at)];
    std::string words = fill(tr("at {} tokens"), {text::grouped_number(std::llround(tokens))});
    for (const auto& curve : curves.curves)
      words += "\n" + curve.label + ": " + figures::weight_words(curve.y[static_cast<std::size_t>(at)] * 1024.0 * 1024 * 1024);
    ui::tooltip(look, words);
    if (hit.clicked) context.view.counting.context = std::llround(tokens);
  }
  figure_menu(context, "memory menu", hit, [&] { return figures::curves(curves, 760, 460, context.theme, context.measure); });
  ImGui::Dummy({0, look.px(2)});
  figures::Figure costs = figures::counting_costs(state.input, width, context.theme, context.measure);
  costs.background.a = 0;
  const gl::Hit below = context.figures.draw(costs, "costs");
  name_part(context, "counting:costs");
  figure_menu(context, "costs menu", below, [&] {
    return figures::framed(figures::counting_costs(state.input, 360, context.theme, context.measure), state.input.sizes.label, 16,
                           context.theme);
  });
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  CountingState state = counting_state(context);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = room.x / context.scale, height = room.y / context.scale;
  state.input.low = height < kLow;
  const bool presented = context.view.presentation;
  const bool left = !presented && width >= kLeft + kGap + kLeastMiddle;
  const bool right = !presented && width >= (left ? kLeft + kGap : 0) + kLeastMiddle + kGap + kRight;
  const float middle = width - (left ? kLeft + kGap : 0) - (right ? kGap + kRight : 0) - 14;
  const ImGuiChildFlags flags = ImGuiChildFlags_NavFlattened;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (left) {
    if (ImGui::BeginChild("sizes", {look.px(kLeft + 12), room.y}, flags, ImGuiWindowFlags_NoBackground))
      draw_left(context, look, state);
    ImGui::EndChild();
    ImGui::SameLine(0, look.px(kGap - 12));
  }
  if (ImGui::BeginChild("count", {look.px(middle + 12), room.y}, flags, ImGuiWindowFlags_NoBackground)) {
    draw_middle(context, look, state, middle, height);
    // In a narrow room what stands beside it comes below.
    if (!right && !presented) draw_right(context, look, state, std::min(middle, 420.0f));
    if (!left && !presented) draw_left(context, look, state);
  }
  ImGui::EndChild();
  if (right) {
    ImGui::SameLine(0, look.px(kGap - 12));
    if (ImGui::BeginChild("costs side", {0, room.y}, flags, ImGuiWindowFlags_NoBackground))
      draw_right(context, look, state, kRight - 8);
    ImGui::EndChild();
  }
  ImGui::PopStyleVar();
}

figures::Figure table_figure(const Context& context, float width) {
  const CountingState state = counting_state(context);
  if (!state.status.ok()) return {};
  return figures::stacked({figures::counting_table(state.input, width - 32, context.theme, context.measure),
                           figures::parameter_bands(state.input, width - 32, 260, context.theme, context.measure)},
                          20, 16);
}

figures::Figure figure_of_counting(const Context& context, float width, float) {
  const CountingState state = counting_state(context);
  figures::Figure figure = table_figure(context, std::max(width, 760.0f));
  figure.title = figures::counting_table(state.input, 760, context.theme, context.measure).title;
  return figure;
}

}  // namespace

Entry counting_panel() {
  Entry entry = {"counting", "Counting", "4 d d_k h + 2 d d_ff numbers a layer", "Brown et al. 2020", draw, figure_of_counting};
  entry.full_width = true;
  entry.pictures = {{"counting", "a model's matrices, counted", figure_of_counting},
                    {"counting-memory", "memory by length of text", [](const Context& context, float width, float height) {
                       return figures::curves(memory_curves(counting_state(context).input), width, std::min(height, 0.7f * width),
                                              context.theme, context.measure);
                     }}};
  return entry;
}

}  // namespace headlight::panels
