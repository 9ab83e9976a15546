// The pages of the Recurrence view beside its network: charts, the matrix of a state space, forms of networks.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/recurrence/parts.h"
#include "imgui.h"

namespace headlight::views::recurrent {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kHighestChart = 560, kLeastChart = 120;

Node line_of_words(Sheet& sheet, std::string id, std::string text, figures::Color color, int rank = 0) {
  Node node = sheet.words(std::move(id), std::move(text), 13, color);
  node.presented = true;
  node.rank = rank;
  return node;
}

// A chart whose points are tokens or steps; `choose` gets the x that is clicked. A chart that gives
// way is low before it goes over its room.
Node chart(Sheet& sheet, std::string id, figures::CurvesInput input, Span high, bool gives_way,
           std::function<void(std::int64_t)> choose = {}) {
  input.margin = 2;
  const auto shared = std::make_shared<const figures::CurvesInput>(std::move(input));
  Node node = sheet.picture(
      {.id = std::move(id),
       .picture = [shared](Size s, const Pen& pen) { return figures::curves(*shared, s.w, s.h, pen.theme, pen.measure); },
       .hit =
           [shared, choose = std::move(choose)](const Drawn& drawn) {
             if (!drawn.hit.clicked || !choose) return;
             const std::int64_t at = figures::curve_point_at(drawn.figure, *shared, drawn.hit.at);
             if (at >= 0) choose(at);
           },
       .paper = {720, 440},
       .on_paper =
           [shared](Size s, const Pen& pen) {
             figures::CurvesInput plain = *shared;
             plain.hot = -1;
             plain.margin = 12;
             return figures::curves(plain, s.w, s.h > 0 ? s.h : 440, pen.theme, pen.measure);
           }},
      {200, 360, kAny}, high);
  if (gives_way)
    node.forms.push_back({node.forms.front().wide, [high](float) { return Span{kLeastChart, high.least, high.most}; }});
  node.rank = 1;
  node.stays = true;
  return node;
}

// Words in the middle of a slider's height.
Node beside_slider(Sheet& sheet, std::string words) {
  constexpr float kHigh = 28, kType = 13;
  const figures::TextMeasure& measure = sheet.scene.pen.measure;
  const float wide = std::ceil(measure.width(words, kType, figures::Font::words)) + 1,
              above = (kHigh - measure.line_height(kType, figures::Font::words)) / 2;
  return sheet.by_hand({.id = "times name",
                        .draw =
                            [words = std::move(words), above](const ui::Look& look, Size) {
                              const ImVec2 at = ImGui::GetCursorScreenPos();
                              look.figures.text(*ImGui::GetWindowDrawList(), {at.x, std::round(at.y + look.px(above))}, words,
                                                kType, figures::Font::words, look.theme.secondary);
                            }},
                       wide, kHigh);
}

Node gradients(Sheet& sheet, const Shared& frame, Span high, bool gives_way) {
  State& state = frame->state;
  std::vector<Node> slider = {
      beside_slider(sheet, tr("recurrent weights ×")),
      sheet.track({.id = "times",
                   .value = figures::cell_number(state.weights_times),
                   .now = state.weights_times,
                   .least = 0.25,
                   .most = 4,
                   // One is where the slider rests.
                   .set =
                       [&state](double times) {
                         state.weights_times = std::abs(std::log(times)) < 0.04 ? 1.0 : std::round(times * 100) / 100;
                       },
                   .why = tr("Small recurrent weights let the gradient vanish, large ones let it explode"),
                   .wide = {80, 400, kAny},
                   .number = 44})};
  return Sheet::column("vanishing", 4,
                       {shown_everywhere(Sheet::row("times line", 10, std::move(slider))),
                        chart(sheet, "gradients", gradient_input(frame->context(), frame->reading), high, gives_way)});
}

Node reach(Sheet& sheet, const Shared& frame) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const Reading& reading = frame->reading;
  const figures::CurvesInput input = reach_input(frame->context(), reading);
  const std::string steps = std::to_string(reading.text.count());
  Node below = gradients(sheet, frame, {190, 300, kAny}, false);  // goes as a whole
  below.rank = 4;
  std::vector<Node> all = {
      chart(sheet, "reach", input, {190, 300, kAny}, true,
            [&state = frame->state, count = reading.text.count()](std::int64_t back) {
              state.at = std::max<std::int64_t>(0, count - 1 - back);
            }),
      line_of_words(sheet, "reach words", reach_words(reading, input), theme.text, 2),
      line_of_words(
          sheet, "steps words",
          fill(tr("steps one after another: {}, attention 1; path from the first input to the last state: {}, attention 1"),
               {steps, steps}),
          theme.secondary, 3),
      std::move(below)};
  return Sheet::column("reach page", 6, std::move(all));
}

// A map of tokens by tokens, as high as it is at its width where there is room.
Node token_map(Sheet& sheet, const Shared& frame, const char* id, figures::HeatmapInput input, bool of_attention, float least) {
  const auto shared = std::make_shared<const figures::HeatmapInput>(std::move(input));
  const auto hit = [frame, shared, of_attention](const Drawn& drawn) {
    const gl::Hit& at = drawn.hit;
    const std::vector<std::string>& labels = frame->reading.text.labels;
    const std::int64_t count = frame->reading.text.count();
    if (!at.hovered || at.tag.kind != figures::Tag::cell_area || at.row < 0 || at.row >= count || at.column < 0 ||
        at.column >= count)
      return;
    say_at_mouse(frame->scene, fill(of_attention ? tr("{} looks at {}: {}") : tr("output at {} from the input {}: {}"),
                                    {labels[static_cast<std::size_t>(at.row)], labels[static_cast<std::size_t>(at.column)],
                                     figures::cell_number(shared->values.at({at.row, at.column}), 4)}));
    if (at.clicked) frame->state.at = at.column;
  };
  const auto on_paper = [shared](Size s, const Pen& pen) {
    figures::HeatmapInput plain = *shared;
    plain.hot_row = plain.hot_column = -1;
    plain.legend = true;
    return figures::heatmap(plain, s.w, s.h > 0 ? s.h : s.w, pen.theme, pen.measure);
  };
  const auto high = [shared, least, &pen = sheet.scene.pen](float width) {
    const float own = figures::heatmap(*shared, width, 4 * width, pen.theme, pen.measure).height;
    return Span{std::min(least, own), own, own};
  };
  return sheet.picture(
      {.id = id,
       .picture = [shared](Size s, const Pen& pen) { return figures::heatmap(*shared, s.w, s.h, pen.theme, pen.measure); },
       .hit = hit,
       .paper = {900, 900},
       .on_paper = on_paper},
      {120, 300, kAny}, high);
}

// The matrix and the shown head: below each other or side by side, whichever draws them larger.
Node map_pair(Sheet& sheet, const Shared& frame, const UnrolledState& unrolled, float width) {
  constexpr float kGap = 16, kLeast = 120, kNamed = 240;  // the last: in less a map's name is cut
  const figures::HeatmapInput matrix = unrolled_input(frame->context(), frame->reading, unrolled),
                              attention = beside_input(frame->context(), frame->reading);
  if (attention.values.empty()) return token_map(sheet, frame, "matrix", matrix, false, kLeast);
  // What stands above and below the maps, in about so many points.
  const float others = frame->held->lengths > 0 ? 420 : 250, half = (width - kGap) / 2;
  std::vector<Node> both = {token_map(sheet, frame, "matrix", matrix, false, kLeast),
                            token_map(sheet, frame, "attention", attention, true, kLeast)};
  if (half < kNamed || sheet.scene.room.h - others > 2 * half) return Sheet::column("maps", 8, std::move(both));
  for (Node& map : both) map.forms.front().wide = half;
  return Sheet::row("maps", kGap, std::move(both));
}

Node times(Sheet& sheet, const Shared& frame) {
  constexpr std::size_t kAll = std::size(kScanLengths);
  const Context& context = frame->context();
  const auto& held = frame->held;
  const ScanTimes times = scan_times(context, frame->reading, held->lengths);
  std::vector<Node> all;
  if (times.measuring) {
    all.push_back(button_line(
        sheet, {.id = "stop", .label = tr("stop"), .press = [held, done = times.done] { held->lengths = done; }, .high = 28},
        "stop words", fill(tr("measuring, {} of {} lengths"), {std::to_string(times.done), std::to_string(kAll)})));
    context.frame_in(0.1);
  } else if (times.done < kAll) {
    all.push_back(
        button_line(sheet,
                    {.id = "measure",
                     .label = tr("measure"),
                     .why = tr("Times one channel's scan and its matrix at each length, in the background; edits come first"),
                     .press = [held] { held->lengths = kAll; },
                     .high = 28},
                    "measure words", tr("the scan against the matrix, 64 to 1,024 tokens")));
  } else {
    all.push_back(line_of_words(sheet, "times words", times.words, sheet.scene.pen.theme.text, 1));
  }
  if (times.measuring || times.done > 0) all.push_back(chart(sheet, "times", times.input, {190, 260, 360}, false));
  return Sheet::column("two times", 4, std::move(all));
}

Node matrix(Sheet& sheet, const Shared& frame, float width) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  State& state = frame->state;
  const UnrolledState unrolled = unrolled_state(frame->context(), frame->reading);
  std::vector<Node> controls = {
      sheet.stepper("channel", fill(tr("channel {} of {}"), {std::to_string(state.channel), std::to_string(state.units)}),
                    std::min(state.channel, state.units - 1), state.units, tr("Whose matrix is shown"),
                    [&state](std::int64_t to) { state.channel = to; }),
      sheet.toggle(
          "matrix-selective", tr("selection"), &state.selective,
          tr("Whether Δ, B and C depend on the input: what is kept and what is forgotten is then chosen token by token"))};
  std::vector<Node> all = {shown_everywhere(Sheet::flow("matrix controls", 14, std::move(controls)))};
  if (!unrolled.error.empty()) {
    all.push_back(line_of_words(sheet, "why not", unrolled.error, theme.wrong));
  } else if (!unrolled.matrix) {
    all.push_back(sheet.notice(tr("computing …"), theme.secondary));
  } else {
    const bool equal = unrolled.apart <= 1e-5;
    char apart[24];
    std::snprintf(apart, sizeof apart, "%.1e", unrolled.apart);
    all.push_back(line_of_words(sheet, "matrix formula", "M_ij = C_i exp(A Σ Δ) Δ_j B_j,  y = M u", theme.secondary, 2));
    all.push_back(line_of_words(sheet, "apart",
                                fill(equal ? tr("M u is the recurrence's output: largest difference {}")
                                           : tr("M u differs from the recurrence's output by {}"),
                                     {apart}),
                                equal ? theme.good : theme.wrong, 2));
    all.push_back(map_pair(sheet, frame, unrolled, width));
    all.push_back(times(sheet, frame));
  }
  return Sheet::column("matrix page", 6, std::move(all));
}

Node forms(Sheet& sheet) {
  const auto draw = [](float width, float height, const Pen& pen) {
    return figures::network_forms(form_list(), width, height, pen.theme, pen.measure);
  };
  return sheet.picture({.id = "forms",
                        .picture = [draw](Size s, const Pen& pen) { return draw(s.w, s.h, pen); },
                        .paper = {640, 0},
                        .on_paper =
                            [draw](Size s, const Pen& pen) {
                              return figures::framed(draw(s.w, 0, pen), tr("Forms of recurrent networks"), 16, pen.theme);
                            }},
                       {240, 400, kAny}, [draw, &pen = sheet.scene.pen](float width) {
                         const float own = draw(width, 0, pen).height;
                         return Span{own, own, kAny};
                       });
}

}  // namespace

sheet::Node button_line(Sheet& sheet, Sheet::Button button, std::string id, std::string words) {
  std::vector<Node> both = {sheet.button(std::move(button)),
                            sheet.label(std::move(id), std::move(words), 13, sheet.scene.pen.theme.secondary)};
  return shown_everywhere(Sheet::flow({}, 10, std::move(both)));
}

sheet::Node side_page(Sheet& sheet, const Shared& frame, float width) {
  const std::string& side = frame->state.side;
  if (side == "learning")
    return chart(sheet, "learning", learning_input(frame->context(), frame->reading), {190, kHighestChart, kHighestChart}, true);
  if (side == "gradients") return gradients(sheet, frame, {160, kHighestChart, kHighestChart}, true);
  if (side == "matrix") return matrix(sheet, frame, width);
  if (side == "forms") return forms(sheet);
  return reach(sheet, frame);
}

}  // namespace headlight::views::recurrent
