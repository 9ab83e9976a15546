// The Recurrence view: a network that reads the tokens one after the other, beside attention, which reaches each in one step.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/panels.h"
#include "app/panels/recurrence/recurrence_data.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/shared/two_columns.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kRecurrenceBeside = 860, kRecurrenceGap = 24, kLeastUnfolded = 220, kNarrowColumn = 46, kSplitCharts = 520,
                kStateMap = 300, kHighestChart = 560;
constexpr std::int64_t kMostUnits = 64, kNamedColumns = 40;
constexpr const char* kSides[] = {"reach", "gradients", "learning", "matrix", "forms"};

struct RecurrenceHeld {
  bool playing = false;
  std::size_t lengths = 0;  // that the chart of times has been told to measure
  bool beside = false;      // the network is shown, and a page beside it
};

// Choices side by side: the id that was clicked, or empty.
template <std::size_t N>
std::string chosen_of(Context& context, const ui::Look& look, const char* part, const char* const (&ids)[N],
                      const char* const (&labels)[N], const std::string& now, const char* tip) {
  int selected = 0;
  for (std::size_t i = 0; i < N; ++i)
    if (now == ids[i]) selected = static_cast<int>(i);
  ImGui::BeginGroup();
  const int clicked = ui::segmented(look, part, labels, static_cast<int>(N), selected, tip);
  ImGui::EndGroup();
  name_part(context, std::string("recurrence:") + part);
  return clicked >= 0 ? ids[clicked] : std::string();
}

template <std::size_t N>
float width_of(const ui::Look& look, const char* const (&labels)[N]) {
  float wide = 0;
  for (const char* const label : labels) wide += look.figures.width(label, 15, Font::words) + 30;
  return wide;
}

// The next words stand in the middle of a button's height.
void beside_button(const ui::Look& look) {
  ImGui::SameLine(0, look.px(10));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + look.px(6));
}

void draw_kinds(Context& context, const ui::Look& look) {
  RecurrenceView& view = context.view.recurrence;
  const char* const ids[] = {"rnn", "lstm", "esn", "ssm"};
  const char* const labels[] = {tr("vanilla RNN"), tr("LSTM"), tr("echo state"), tr("state space")};
  const recurrence::Kind& kind = *recurrence::kinds().find(recurrence::kinds().find(view.kind) ? view.kind : "lstm");
  const std::string clicked =
      chosen_of(context, look, "kind", ids, labels, kind.id, (kind.formula + "   " + kind.source).c_str());
  if (!clicked.empty()) view.kind = clicked;
}

void draw_sizes(Context& context, const ui::Look& look) {
  RecurrenceView& view = context.view.recurrence;
  const bool state_space = view.kind == "ssm";
  const std::string units = fill(state_space ? tr("{} channels") : tr("{} units"), {std::to_string(view.units)});
  next_on_line(look, look.figures.width(units, 14, Font::words) + 90);
  const std::int64_t to = stepper(look, "units", units, view.units - 1, kMostUnits, tr("How many numbers the state has"));
  name_part(context, "recurrence:units");
  if (to >= 0) view.units = to + 1;
  if (!state_space) return;
  const std::string states = fill(tr("{} states"), {std::to_string(view.states)});
  next_on_line(look, look.figures.width(states, 14, Font::words) + 90);
  const std::int64_t wanted = stepper(look, "states", states, view.states - 1, 16, tr("How many numbers each channel keeps"));
  name_part(context, "recurrence:states");
  if (wanted >= 0) view.states = wanted + 1;
  next_on_line(look, look.figures.width(tr("selection"), 15, Font::words) + 60);
  ui::toggle(look, tr("selection"), &view.selective);
  ui::tooltip(look,
              tr("Whether Δ, B and C depend on the input: what is kept and what is forgotten is then chosen token by token"));
  name_part(context, "recurrence:selective");
}

void draw_source(Context& context, const ui::Look& look) {
  RecurrenceView& view = context.view.recurrence;
  const char* const ids[] = {"text", "hello", "repeats"};
  const char* const labels[] = {tr("your text"), "hello", tr("repeats")};
  next_on_line(look, width_of(look, labels));
  const std::string clicked =
      chosen_of(context, look, "source", ids, labels, view.source,
                tr("What is read: the sentence's tokens, the five letters of hello, or eight letters three times over"));
  if (clicked.empty()) return;
  view.source = clicked;
  view.at = -1;
  view.first = view.learnt = 0;
}

// Learning: on, off, back to the beginning, and how far it is.
void draw_learning_controls(Context& context, const ui::Look& look, const RecurrenceState& state) {
  RecurrenceView& view = context.view.recurrence;
  RecurrenceHeld& held = context.transient->of<RecurrenceHeld>();
  const bool at_once = state.net && !state.kind().trains;
  const bool at_end = view.learnt >= kMostLearnt;
  if (at_end) held.playing = false;
  const char* const words = held.playing ? tr("pause") : at_once ? tr("fit") : tr("learn");
  next_on_line(look, look.figures.width(words, 15, Font::words) + 220);
  if (ui::button(look, ui::labelled(words, "learn").c_str(), 0, 28, !held.playing, !at_end)) held.playing = !held.playing;
  ui::tooltip(look, at_once ? tr("Fits the read-out to this text by one ridge regression; the reservoir stays as it is drawn")
                            : tr("Learns this text by gradients through time, ten steps a picture; edits come first"));
  name_part(context, "recurrence:learn");
  if (view.learnt > 0) {
    ImGui::SameLine(0, look.px(8));
    if (ui::button(look, ui::labelled(tr("random again"), "forget").c_str(), 0, 28)) {
      view.learnt = 0;
      held.playing = false;
    }
    name_part(context, "recurrence:forget");
  }
  beside_button(look);
  ui::words(look, view.learnt > 0 ? fill(tr("{} steps"), {std::to_string(view.learnt)}) : std::string(tr("random weights")),
            look.theme.secondary, 13);
}

// The next steps, when all that is shown has taken the last ones.
void play(Context& context, const RecurrenceState& state) {
  RecurrenceHeld& held = context.transient->of<RecurrenceHeld>();
  if (!held.playing) return;
  RecurrenceView& view = context.view.recurrence;
  bool complete = !state.learning && state.words.empty();
  if (complete && view.side == "learning") (void)learning_input(context, state, &complete);
  if (complete) view.learnt = std::min(kMostLearnt, view.learnt + kLearnEach);
  // A picture a twentieth of a second, so that one sees it learn.
  context.frame_in(0.05);
}

// The tokens in sight, moved by the wheel or by dragging.
struct Sight {
  std::int64_t first = 0, count = 0;
};
Sight sight_of(const Context& context, const RecurrenceState& state, float width) {
  const auto room = static_cast<std::int64_t>((width - figures::kUnfoldedNames) / figures::kUnfoldedColumn);
  Sight sight;
  // All tokens, somewhat narrower, before a part of them.
  const auto narrow = static_cast<std::int64_t>((width - figures::kUnfoldedNames) / kNarrowColumn);
  if (state.text.count() <= narrow) return {0, state.text.count()};
  sight.count = std::clamp<std::int64_t>(room, 1, state.text.count());
  sight.first = std::clamp<std::int64_t>(context.view.recurrence.first, 0, state.text.count() - sight.count);
  return sight;
}

void draw_sight(Context& context, const ui::Look& look, const RecurrenceState& state, const Sight& sight) {
  if (sight.count >= state.text.count()) return;
  const std::string words =
      fill(tr("tokens {} to {} of {}"),
           {std::to_string(sight.first + 1), std::to_string(sight.first + sight.count), std::to_string(state.text.count())});
  next_on_line(look, look.figures.width(words, 14, Font::words) + 90);
  const std::int64_t to =
      stepper(look, "sight", words, sight.first, state.text.count() - sight.count + 1, tr("The tokens in sight"));
  name_part(context, "recurrence:sight");
  if (to >= 0) context.view.recurrence.first = to;
}

void follow_column(Context& context, const ui::Look& look, const RecurrenceState& state, const gl::Hit& hit,
                   const figures::UnfoldedInput& input) {
  RecurrenceView& view = context.view.recurrence;
  std::int64_t token = -1;
  if (hit.hovered && hit.tag.kind == figures::Tag::column) token = hit.tag.a;
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area) token = hit.column;
  if (token < 0 || token >= state.text.count()) return;
  if (state.text.of_document && context.trace && !context.trace->texts().empty()) {
    const auto& tokens = context.trace->texts().front().tokens;
    if (token < static_cast<std::int64_t>(tokens.size())) {
      Hot& next = context.hover.next;
      next.byte_start = tokens[static_cast<std::size_t>(token)].start;
      next.byte_end = tokens[static_cast<std::size_t>(token)].end;
      next.token = token;
    }
  }
  if (hit.clicked) view.at = view.at == token ? -1 : token;
  if (hit.tag.kind != figures::Tag::cell_area) return;
  const auto band = static_cast<std::size_t>(hit.row / figures::kBandRows);
  const std::int64_t row = hit.row % figures::kBandRows;
  if (band >= input.bands.size() || row >= input.bands[band].values.dim(0) ||
      token - input.first >= input.bands[band].values.dim(1))
    return;
  const std::int64_t each = input.bands[band].values.dim(0) / static_cast<std::int64_t>(state.net->order.size());
  const std::string unit =
      std::to_string(state.net->order[static_cast<std::size_t>(row / each)]) + (each > 1 ? "." + std::to_string(row % each) : "");
  ui::tooltip(look, fill(tr("{} of unit {} at {}: {}"),
                         {input.bands[band].label, unit, state.text.labels[static_cast<std::size_t>(token)],
                          figures::cell_number(input.bands[band].values.at({row, token - input.first}), 4)}));
}

figures::Figure unfolded_for_file(const Context& context, const RecurrenceState& state, float width, float height) {
  const auto fit = static_cast<std::int64_t>((width - figures::kUnfoldedNames) / kNarrowColumn);
  const std::int64_t count = std::clamp<std::int64_t>(fit, 1, state.text.count());
  figures::UnfoldedInput input = unfolded_input(context, state, context.view.recurrence.first, count);
  return figures::framed(figures::unfolded_network(input, width, height, context.theme, context.measure), input.title, 16,
                         context.theme);
}

void draw_network(Context& context, const ui::Look& look, const RecurrenceState& state, float width, float height) {
  RecurrenceView& view = context.view.recurrence;
  const Sight sight = sight_of(context, state, width);
  figures::UnfoldedInput input = unfolded_input(context, state, sight.first, sight.count);
  if (state.text.of_document && context.trace) {
    const std::int64_t hot = hovered_token(*context.trace, false, 0, context.hover.now);
    if (hot < state.text.count()) input.hot = hot;
  }
  figures::Figure figure =
      figures::unfolded_network(input, width, std::max(kLeastUnfolded, height), context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "unfolded", true);
  name_part(context, "recurrence:network");
  follow_column(context, look, state, hit, input);
  if (hit.wheel != 0 || hit.dragging) {
    const float by = hit.wheel != 0 ? -hit.wheel : -hit.drag.x / figures::kUnfoldedColumn;
    view.first = std::clamp<std::int64_t>(sight.first + std::lround(by), 0, state.text.count() - sight.count);
  }
  const auto choose = [&](std::int64_t token) {
    view.at = std::clamp<std::int64_t>(token, 0, state.text.count() - 1);
    view.first = std::clamp(sight.first, std::max<std::int64_t>(0, view.at - sight.count + 1), view.at);
  };
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_RightArrow)) choose(state.selected + 1);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) choose(state.selected - 1);
  figure_menu(context, "unfolded menu", hit, [&] { return unfolded_for_file(context, state, 1100, 760); });
}

// A chart whose points are tokens or steps; returns the x under the mouse, or -1.
std::int64_t draw_curves(Context& context, const char* part, figures::CurvesInput input, float width, float height) {
  input.margin = 2;
  figures::Figure figure = figures::curves(input, width, std::max(120.0f, height), context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, part);
  name_part(context, std::string("recurrence:") + part);
  figure_menu(context, (std::string(part) + " menu").c_str(), hit, [&] {
    figures::CurvesInput plain = input;
    plain.hot = -1;
    plain.margin = 12;
    return figures::curves(plain, 720, 440, context.theme, context.measure);
  });
  if (!hit.hovered) return -1;
  const std::int64_t at = figures::curve_point_at(figure, input, hit.at);
  return hit.clicked ? at : -1;
}

void draw_gradients(Context& context, const ui::Look& look, const RecurrenceState& state, float width, float height) {
  RecurrenceView& view = context.view.recurrence;
  const float top = ImGui::GetCursorPosY();
  const std::string words = tr("recurrent weights ×");
  double times = view.weights_times;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  look.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px(7)}, words, 13, Font::words, look.theme.secondary);
  const float wide = look.figures.width(words, 13, Font::words) + 10;
  ImGui::SetCursorScreenPos({at.x + look.px(wide), at.y});
  if (number_slider(look, "##times", &times, 0.25, 4, true, look.px(std::max(80.0f, width - wide - 70)))) {
    // One is where the slider rests.
    view.weights_times = std::abs(std::log(times)) < 0.04 ? 1.0 : std::round(times * 100) / 100;
  }
  ui::tooltip(look, tr("Small recurrent weights let the gradient vanish, large ones let it explode"));
  name_part(context, "recurrence:times");
  slider_number(look, figures::cell_number(view.weights_times), 44);
  ImGui::NewLine();
  const float used = (ImGui::GetCursorPosY() - top) / look.scale;
  (void)draw_curves(context, "gradients", gradient_input(context, state), width, height - used);
}

void draw_reach(Context& context, const ui::Look& look, const RecurrenceState& state, float width, float height) {
  RecurrenceView& view = context.view.recurrence;
  const figures::CurvesInput reach = reach_input(context, state);
  const bool both = height >= kSplitCharts;
  const float top = ImGui::GetCursorPosY(), words = 80;
  const std::int64_t back = draw_curves(context, "reach", reach, width, both ? (height - words) * 0.48f : height - words);
  if (back >= 0) view.at = std::max<std::int64_t>(0, state.text.count() - 1 - back);
  ui::words(look, reach_words(state, reach), look.theme.text, 13);
  const std::string steps = std::to_string(state.text.count());
  ui::words(look,
            fill(tr("steps one after another: {}, attention 1; path from the first input to the last state: {}, attention 1"),
                 {steps, steps}),
            look.theme.secondary, 13);
  if (!both) return;
  ImGui::Dummy({0, look.px(4)});
  draw_gradients(context, look, state, width, height - (ImGui::GetCursorPosY() - top) / look.scale);
}

void draw_state_map(Context& context, const ui::Look& look, const RecurrenceState& state, const figures::HeatmapInput& input,
                    bool of_attention, float width, float height) {
  figures::Figure figure = figures::heatmap(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const char* const id = of_attention ? "attention" : "matrix";
  const gl::Hit hit = context.figures.draw(figure, id);
  name_part(context, std::string("recurrence:") + id);
  const std::int64_t count = state.text.count();
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0 && hit.row < count && hit.column >= 0 &&
      hit.column < count) {
    const std::string number = figures::cell_number(input.values.at({hit.row, hit.column}), 4);
    ui::tooltip(look, fill(of_attention ? tr("{} looks at {}: {}") : tr("output at {} from the input {}: {}"),
                           {state.text.labels[static_cast<std::size_t>(hit.row)],
                            state.text.labels[static_cast<std::size_t>(hit.column)], number}));
    if (hit.clicked) context.view.recurrence.at = hit.column;
  }
  figure_menu(context, (std::string(id) + " menu").c_str(), hit, [&] {
    figures::HeatmapInput plain = input;
    plain.hot_row = plain.hot_column = -1;
    plain.legend = true;
    return figures::heatmap(plain, 900, 900, context.theme, context.measure);
  });
}

// The matrix and the shown head: below each other or side by side, whichever draws them larger.
void draw_map_pair(Context& context, const ui::Look& look, const RecurrenceState& state, const UnrolledState& unrolled,
                   float width, float height) {
  const figures::HeatmapInput matrix = unrolled_input(context, state, unrolled), beside = beside_input(context, state);
  const bool two = !beside.values.empty();
  const bool below = two && std::min(width, (height - 8) / 2) > std::min((width - 16) / 2, height), side = two && !below;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_state_map(context, look, state, matrix, false, side ? (width - 16) / 2 : width, below ? (height - 8) / 2 : height);
  if (side) ImGui::SetCursorScreenPos({at.x + look.px(width / 2 + 8), at.y});
  if (below || side)
    draw_state_map(context, look, state, beside, true, side ? (width - 16) / 2 : width, below ? (height - 8) / 2 : height);
}

void draw_times(Context& context, const ui::Look& look, const RecurrenceState& state, float width, float height) {
  RecurrenceHeld& held = context.transient->of<RecurrenceHeld>();
  constexpr std::size_t kAll = std::size(kScanLengths);
  const ScanTimes times = scan_times(context, state, held.lengths);
  if (times.measuring) {
    if (ui::button(look, tr("stop"), 0, 28)) held.lengths = times.done;
    name_part(context, "recurrence:stop");
    beside_button(look);
    ui::words(look, fill(tr("measuring, {} of {} lengths"), {std::to_string(times.done), std::to_string(kAll)}),
              look.theme.secondary, 13);
    context.frame_in(0.1);
  } else if (times.done < kAll) {
    if (ui::button(look, tr("measure"), 0, 28)) held.lengths = kAll;
    ui::tooltip(look, tr("Times one channel's scan and its matrix at each length, in the background; edits come first"));
    name_part(context, "recurrence:measure");
    beside_button(look);
    ui::words(look, tr("the scan against the matrix, 64 to 1,024 tokens"), look.theme.secondary, 13);
    if (times.done == 0) return;
  } else {
    ui::words(look, times.words, look.theme.text, 13);
  }
  (void)draw_curves(context, "times", times.input, width, height - (times.done < kAll ? 36 : 24));
}

void draw_matrix(Context& context, const ui::Look& look, const RecurrenceState& state, float width, float height) {
  RecurrenceView& view = context.view.recurrence;
  const UnrolledState unrolled = unrolled_state(context, state);
  const float top = ImGui::GetCursorPosY();
  const std::string channel = fill(tr("channel {} of {}"), {std::to_string(view.channel), std::to_string(view.units)});
  const std::int64_t to =
      stepper(look, "channel", channel, std::min(view.channel, view.units - 1), view.units, tr("Whose matrix is shown"));
  name_part(context, "recurrence:channel");
  if (to >= 0) view.channel = to;
  next_on_line(look, look.figures.width(tr("selection"), 15, Font::words) + 60);
  ui::toggle(look, tr("selection"), &view.selective);
  name_part(context, "recurrence:matrix-selective");
  if (!unrolled.error.empty()) return ui::words(look, unrolled.error, look.theme.wrong, 13);
  if (!unrolled.matrix) return ui::words(look, tr("computing …"), look.theme.secondary, 15);
  ui::words(look, "M_ij = C_i exp(A Σ Δ) Δ_j B_j,  y = M u", look.theme.secondary, 13);
  const bool equal = unrolled.apart <= 1e-5;
  char apart[24];
  std::snprintf(apart, sizeof apart, "%.1e", unrolled.apart);
  ui::words(look,
            fill(equal ? tr("M u is the recurrence's output: largest difference {}")
                       : tr("M u differs from the recurrence's output by {}"),
                 {apart}),
            equal ? look.theme.good : look.theme.wrong, 13);
  const float used = (ImGui::GetCursorPosY() - top) / look.scale, left = height - used;
  const RecurrenceHeld& held = context.transient->of<RecurrenceHeld>();
  const float chart = held.lengths > 0 ? std::max(190.0f, left * 0.34f) : 36;
  draw_map_pair(context, look, state, unrolled, width, std::max(120.0f, left - chart - 8));
  ImGui::Dummy({0, look.px(2)});
  // Maps side by side leave more than its share.
  const float rest = height - (ImGui::GetCursorPosY() - top) / look.scale;
  draw_times(context, look, state, width, held.lengths > 0 ? std::clamp(rest, chart, std::max(chart, 360.0f)) : chart);
}

void draw_forms(Context& context, float width, float height) {
  figures::Figure figure = figures::network_forms(form_list(), width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "forms");
  name_part(context, "recurrence:forms");
  figure_menu(context, "forms menu", hit, [&] {
    return figures::framed(figures::network_forms(form_list(), 640, 0, context.theme, context.measure),
                           tr("Forms of recurrent networks"), 16, context.theme);
  });
}

void draw_side(Context& context, const ui::Look& look, const RecurrenceState& state, float width, float height,
               bool with_network) {
  RecurrenceView& view = context.view.recurrence;
  const float top = ImGui::GetCursorPosY();
  if (!with_network) {
    const char* const labels[] = {tr("reach"), tr("gradients"), tr("learning"), tr("matrix"), tr("forms")};
    const std::string clicked =
        chosen_of(context, look, "side", kSides, labels, view.side,
                  tr("How far an input reaches, how it is learnt, a state space as a matrix, what forms there are"));
    if (!clicked.empty()) view.side = clicked;
    ImGui::Dummy({0, look.px(4)});
  }
  const float left = height - (ImGui::GetCursorPosY() - top) / look.scale;
  if (view.side == "learning")
    (void)draw_curves(context, "learning", learning_input(context, state), width, std::min(left, kHighestChart));
  else if (view.side == "gradients")
    draw_gradients(context, look, state, width, std::min(left, kHighestChart));
  else if (view.side == "matrix")
    draw_matrix(context, look, state, width, left);
  else if (view.side == "forms")
    draw_forms(context, width, left);
  else
    draw_reach(context, look, state, width, left);
}

// On a projector the network's name stays, with arrows to the others.
void draw_presented_kind(Context& context, const ui::Look& look) {
  const auto& kinds = recurrence::kinds().entries();
  std::size_t now = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i].id == context.view.recurrence.kind) now = i;
  const std::int64_t to = stepper(look, "kind", tr(kinds[now].label.c_str()), static_cast<std::int64_t>(now),
                                  static_cast<std::int64_t>(kinds.size()), tr("Another network"));
  name_part(context, "recurrence:kind");
  if (to >= 0) context.view.recurrence.kind = kinds[static_cast<std::size_t>(to)].id;
}

void draw_controls(Context& context, const ui::Look& look, const RecurrenceState& state, bool pages) {
  RecurrenceView& view = context.view.recurrence;
  if (pages) {
    const char* const ids[] = {"network", "reach", "gradients", "learning", "matrix", "forms"};
    const char* const labels[] = {tr("network"), tr("reach"), tr("gradients"), tr("learning"), tr("matrix"), tr("forms")};
    const std::string now = view.page == "network" ? "network" : view.side;
    const std::string clicked = chosen_of(context, look, "page", ids, labels, now, tr("What of it is shown"));
    if (clicked == "network") view.page = clicked;
    if (!clicked.empty() && clicked != "network") {
      view.page = "side";
      view.side = clicked;
    }
    next_on_line(look, 380);
  }
  draw_kinds(context, look);
  draw_sizes(context, look);
  draw_source(context, look);
  draw_learning_controls(context, look, state);
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  const RecurrenceState state = recurrence_state(context);
  play(context, state);
  const bool presented = context.view.presentation;
  const float width = ImGui::GetContentRegionAvail().x / context.scale - 14;
  const char* const sides[] = {tr("reach"), tr("gradients"), tr("learning"), tr("matrix"), tr("forms")};
  const float left = std::round(0.62f * width), right = width - left - kRecurrenceGap;
  const bool beside = !presented && width >= kRecurrenceBeside && right >= width_of(look, sides);
  context.transient->of<RecurrenceHeld>().beside = beside;
  if (presented)
    draw_presented_kind(context, look);
  else
    draw_controls(context, look, state, !beside);
  if (!state.words.empty() || !state.net) {
    ui::words(look, state.words, look.theme.secondary, 15);
    return;
  }
  if (beside || context.view.recurrence.page == "network")
    draw_sight(context, look, state, sight_of(context, state, beside ? left : width));
  if (const std::string sentence = reach_sentence(state); !sentence.empty()) {
    ui::words(look, sentence, look.theme.text, 15);
    name_part(context, "recurrence:word");
  }
  ImGui::Dummy({0, look.px(4)});
  const float height = ImGui::GetContentRegionAvail().y / context.scale - 6;
  if (!beside) {
    if (context.view.recurrence.page == "network")
      draw_network(context, look, state, width, height);
    else
      draw_side(context, look, state, width, height, true);
    return;
  }
  two_columns(
      "recurrence", look, left, right, kRecurrenceGap, [&] { draw_network(context, look, state, left, height); },
      [&] { draw_side(context, look, state, right, height, false); });
}

// For files: charts have no highlighted token.
figures::Figure figure_of_network(const Context& context, float width, float height) {
  const RecurrenceState state = recurrence_state(context);
  if (!state.net) return {};
  return unfolded_for_file(context, state, std::max(width, 700.0f) - 32, std::clamp(height, 520.0f, 900.0f));
}

// Every state and gate as a map of its own: units in the network's order, tokens as columns.
figures::Figure figure_of_states(const Context& context, float width, float) {
  const RecurrenceState state = recurrence_state(context);
  if (!state.net) return {};
  const figures::UnfoldedInput input = unfolded_input(context, state, 0, state.text.count());
  const float wide = std::max(width, 700.0f) - 32;
  std::vector<figures::Figure> maps;
  for (const figures::UnfoldedInput::Band& band : input.bands) {
    figures::HeatmapInput map;
    map.values = band.values;
    map.low = band.low;
    map.high = band.high;
    map.colormap = band.colormap;
    map.key = band.key;
    if (state.text.count() <= kNamedColumns) map.column_labels = state.text.labels;
    map.row_axis = state.kind().id == "ssm" ? tr("channel, state by state") : tr("unit");
    map.column_axis = tr("token");
    map.row_name = "unit";
    map.column_name = "token";
    map.data_name = band.id;
    map.quantity = band.label;
    map.title = band.id + ": " + band.label;
    map.fit = figures::CellFit::box;
    if (&band == &input.bands.front()) map.note = input.order_words;
    maps.push_back(figures::heatmap(map, wide, kStateMap, context.theme, context.measure));
  }
  figures::Figure figure = figures::stacked(maps, 12, 16);
  figure.title = input.title;
  return figure;
}

figures::Figure figure_of_forms(const Context& context, float width, float) {
  return figures::framed(figures::network_forms(form_list(), std::max(width, 480.0f) - 32, 0, context.theme, context.measure),
                         tr("Forms of recurrent networks"), 16, context.theme);
}

figures::Figure figure_of_view(const Context& context, float width, float height) {
  return figures::stacked(
      {figure_of_network(context, std::max(width, 1000.0f), 760), figure_of_reach(context, std::max(width, 1000.0f), height)}, 8,
      0);
}

// Whether the network is shown with a page beside it.
bool is_beside(const Context& context) { return context.transient && context.transient->of<RecurrenceHeld>().beside; }

std::vector<Control> strip_controls(Context& context) {
  if (!context.transient) return {};
  RecurrenceHeld& held = context.transient->of<RecurrenceHeld>();
  return {{.id = "learn",
           .label = held.playing ? tr("pause") : tr("learn"),
           .why = tr("Learns this text by gradients through time, ten steps a picture; edits come first"),
           .press = [&held] { held.playing = !held.playing; },
           .on = held.playing,
           .enabled = context.view.recurrence.learnt < kMostLearnt,
           .widest = tr("pause")}};
}

}  // namespace

Entry recurrence_panel() {
  Entry entry = {"recurrence", "Recurrence",  "h_t = f(h_{t-1}, x_t)", "Elman 1990; Hochreiter and Schmidhuber 1997",
                 draw,         figure_of_view};
  entry.full_width = true;
  entry.pages.list = {{"network", tr_later("network"), tr_later("The network unfolded over the text, with its states and gates")},
                      {"reach", tr_later("reach"), tr_later("How far an input reaches, beside attention")},
                      {"gradients", tr_later("gradients"), tr_later("The gradient's length by steps back")},
                      {"learning", tr_later("learning"), tr_later("The losses while the network learns the text")},
                      {"matrix", tr_later("matrix"), tr_later("A state space unrolled as a matrix")},
                      {"forms", tr_later("forms"), tr_later("One to many, many to one, many to many")}};
  entry.pages.shown = [](const Context& context) {
    return context.view.recurrence.page == "network" && !is_beside(context) ? "network" : context.view.recurrence.side;
  };
  entry.pages.show = [](ViewState& view, const std::string& value) {
    view.recurrence.page = value == "network" ? "network" : "side";
    if (value != "network") view.recurrence.side = value;
  };
  entry.pages.has = [](const Context& context, const std::string& value) { return value != "network" || !is_beside(context); };
  entry.controls = strip_controls;
  entry.pictures = {{"recurrence", "a network unfolded over the text, with its states and gates", figure_of_network},
                    {"recurrence-states", "every state and gate of a network as a map: units by tokens", figure_of_states},
                    {"recurrence-influence", "influence of each token on the last state, beside attention's", figure_of_reach},
                    {"recurrence-gradients", "the gradient's length by steps back", figure_of_gradients},
                    {"recurrence-learning", "losses of every kind while it learns the text", figure_of_learning},
                    {"recurrence-forms", "one to many, many to one, many to many", figure_of_forms},
                    {"state-space", "a state space unrolled as a matrix", figure_of_matrix},
                    {"state-space-times", "measured times of a state space's scan and matrix", figure_of_times}};
  return entry;
}

}  // namespace headlight::panels
