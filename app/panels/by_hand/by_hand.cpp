// The By hand view: a case of attention in small tables on the left, the chosen score, its row and the plane of its values on the
// right. Any number can be typed over.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/by_hand/by_hand_data.h"
#include "app/panels/panels.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;
using figures::HandPlace;

constexpr float kSide = 330, kSideGap = 24, kLeastSheet = 520, kLeastPlane = 190, kMostPlane = 330;

ByHandTransient& kept_of(Context& context) { return context.transient->of<ByHandTransient>(); }

void choose(Context& context, const HandPlace& place) {
  ByHandView& view = context.view.by_hand;
  view.stage = place.stage;
  view.row = place.row;
  view.column = place.column;
}

// `given`: the text is the cell's own number, so that Enter without a change leaves it, with all of its digits.
void begin_editing(Context& context, const ByHandState& state, std::string text, bool given = true) {
  ByHandTransient& kept = kept_of(context);
  kept.editing = kept.focus = true;
  kept.error.clear();
  choose(context, state.input.chosen);
  kept.shown = given ? text : std::string();
  kept.draft = std::move(text);
}

void draw_cases(Context& context, const ui::Look& look, const ByHandState& state) {
  ByHandTransient& kept = kept_of(context);
  bool first = true;
  for (const by_hand::Entry& entry : by_hand::registry().entries()) {
    const char* const label = tr(entry.label.c_str());
    const float wide = look.figures.width(label, 14, Font::words) + 28;
    if (!first) next_on_line(look, wide, 8);
    first = false;
    if (ui::button(look, label, look.px(wide), 32, &entry == state.preset)) choose_preset(context.view, kept, entry.id);
    ui::tooltip(look, entry.source.empty() ? std::string() : std::string(tr(entry.source.c_str())), tr(entry.formula.c_str()));
    name_part(context, "by-hand:" + entry.id);
  }
  if (state.status.ok() && state.input.worked.stages.contains("k")) {
    const char* const labels[] = {tr("unscaled"), "÷ √d"};
    next_on_line(look, 170, 16);
    const int clicked = ui::segmented(look, "divided", labels, 2, state.input.hand.divided ? 1 : 0,
                                      tr("Whether the scores are divided by the root of the width of a key"));
    name_part(context, "by-hand:divided");
    if (clicked >= 0) {
      by_hand::Case changed = state.input.hand;
      changed.divided = clicked == 1;
      set_case(context.view, kept, changed);
    }
  }
  next_on_line(look, 90, 16);
  if (ui::button(look, tr("reset"), look.px(80), 32, false, state.own || !state.status.ok()))
    choose_preset(context.view, kept, state.preset->id);
  ui::tooltip(look, tr("All numbers as the source prints them"));
  name_part(context, "by-hand:reset");
  const HandPlace& at = state.input.chosen;
  if (!state.status.ok() || !by_hand::is_held(state.input.hand, at.stage, at.row, at.column)) return;
  next_on_line(look, 90, 8);
  if (ui::button(look, tr("release"), look.px(80), 32))
    set_case(context.view, kept, by_hand::released(state.input.hand, at.stage, at.row, at.column));
  ui::tooltip(look, tr("The chosen number is computed again"));
  name_part(context, "by-hand:release");
}

// The field over the chosen cell. Enter takes the number, Escape leaves the old one.
void draw_field(Context& context, const ui::Look& look, const ByHandState& state, ImVec2 origin, const figures::Box& box) {
  ByHandTransient& kept = kept_of(context);
  const ImVec2 after = ImGui::GetCursorScreenPos();
  const float wide = std::max(box.w, 92.0f);
  ImGui::SetCursorScreenPos({origin.x + look.px(box.x), origin.y + look.px(box.y)});
  ImGui::SetNextItemWidth(look.px(wide));
  push_font(context, Font::mono, 15);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(6), std::max(0.0f, look.px(box.h) / 2 - ImGui::GetFontSize() / 2)});
  const bool focused_now = kept.focus;
  if (focused_now) ImGui::SetKeyboardFocusHere();
  kept.focus = false;
  ImGui::SetNextItemAllowOverlap();
  const bool entered =
      ui::text_input("##number", kept.draft, nullptr, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_NoUndoRedo);
  name_part(context, "by-hand:field");
  const bool left = ImGui::IsItemDeactivated();
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(after);
  ImGui::Dummy({0, 0});
  if (entered) {
    const bool same = !kept.shown.empty() && kept.draft == kept.shown;
    const Status done = same ? Status() : type_number(context.view, kept, state.input.hand, kept.draft);
    kept.editing = !done.ok();
    kept.focus = !done.ok();
    kept.error = done.ok() ? std::string() : spoken_in_window(done.error());
  } else if (left && !focused_now) {
    kept.editing = false;
    kept.error.clear();
  }
}

// In which direction the arrows move in a table that is drawn turned.
HandPlace moved_by(const figures::ByHandInput& input, int down, int right) {
  HandPlace place = input.chosen;
  const by_hand::Table& table = input.worked.stages.at(place.stage);
  const bool turned = input.hand.keys_down && (place.stage == "scores" || place.stage == "weights" || place.stage == "divided");
  const std::int64_t row = place.row + (turned ? right : down), column = place.column + (turned ? down : right);
  if (row >= 0 && row < table.rows && column >= 0 && column < table.columns) return {place.stage, row, column};
  // Beyond the left or right edge lies the neighbouring stage.
  if (right == 0) return place;
  const auto* at = std::find(by_hand::kStages.begin(), by_hand::kStages.end(), place.stage);
  while (at != by_hand::kStages.end() && (right > 0 ? at + 1 != by_hand::kStages.end() : at != by_hand::kStages.begin())) {
    at += right;
    const auto found = input.worked.stages.find(*at);
    if (found == input.worked.stages.end() || (std::string_view(*at) == "divided" && !input.hand.divided)) continue;
    return {*at, std::min(place.row, found->second.rows - 1), right > 0 ? 0 : found->second.columns - 1};
  }
  return place;
}

void use_keys(Context& context, const ByHandState& state) {
  ByHandTransient& kept = kept_of(context);
  const HandPlace& at = state.input.chosen;
  constexpr std::array<std::array<int, 3>, 4> kArrows = {
      {{ImGuiKey_UpArrow, -1, 0}, {ImGuiKey_DownArrow, 1, 0}, {ImGuiKey_LeftArrow, 0, -1}, {ImGuiKey_RightArrow, 0, 1}}};
  for (const auto& [key, down, right] : kArrows)
    if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(key))) choose(context, moved_by(state.input, down, right));
  if (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false))
    return begin_editing(context, state, figures::hand_number(state.input.worked.stages.at(at.stage).at(at.row, at.column), 6));
  if (ImGui::IsKeyPressed(ImGuiKey_Delete, false) || ImGui::IsKeyPressed(ImGuiKey_Backspace, false))
    if (by_hand::is_held(state.input.hand, at.stage, at.row, at.column))
      set_case(context.view, kept, by_hand::released(state.input.hand, at.stage, at.row, at.column));
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_V, false)) {
    choose(context, at);
    const char* const text = ImGui::GetClipboardText();
    const Status done = paste_table(context.view, kept, state.input.hand, text ? text : "");
    kept.error = done.ok() ? std::string() : spoken_in_window(done.error());
    return;
  }
  for (const ImWchar typed : io.InputQueueCharacters)
    if (!io.KeyCtrl && ((typed >= '0' && typed <= '9') || typed == '-' || typed == '.'))
      return begin_editing(context, state, std::string(1, static_cast<char>(typed)), false);
}

void tell_cell(const ui::Look& look, const ByHandState& state, const HandPlace& place) {
  const auto found = state.input.worked.stages.find(place.stage);
  if (found == state.input.worked.stages.end()) return;
  const bool input = state.input.hand.inputs.contains(place.stage);
  const bool square = place.stage == "scores" || place.stage == "divided" || place.stage == "weights";
  if (square && !state.input.worked.visible(place.row, place.column)) {
    ui::tooltip(look, tr("masked: a later key is not seen"));
    return;
  }
  const std::string number = figures::hand_number(found->second.at(place.row, place.column), 6);
  const std::string where =
      fill(tr("{}, row {}, column {}"), {place.stage, std::to_string(place.row), std::to_string(place.column)});
  if (by_hand::is_held(state.input.hand, place.stage, place.row, place.column))
    ui::tooltip(look, fill(tr("{}: held at {}; Delete releases it"), {where, number}));
  else
    ui::tooltip(look, where + ": " + number + (input ? std::string() : std::string("; ") + tr("typed over it is held")));
}

void draw_sheet(Context& context, const ui::Look& look, ByHandState& state, float width, float height) {
  ByHandTransient& kept = kept_of(context);
  if (!kept.error.empty()) {
    ui::words(look, kept.error, look.theme.wrong, 14);
    name_part(context, "by-hand:error");
    height -= 26;
  }
  if (const float least = figures::by_hand_least_height(state.input); least > height) {
    height = least;
    width -= 14;  // for the scroll bar
  }
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  state.input.hot = kept.hot;
  figures::Figure figure = figures::by_hand_sheet(state.input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "sheet", true);
  name_part(context, "by-hand:sheet");
  const HandPlace under = hit.hovered ? figures::hand_place(hit.tag) : HandPlace{};
  if (!(kept.hot == under) && context.frame_in) context.frame_in(0);
  kept.hot = under;
  if (!under.stage.empty()) {
    tell_cell(look, state, under);
    if (hit.clicked || hit.double_clicked) {
      const bool again = under == state.input.chosen && !kept.editing;
      state.input.chosen = under;
      choose(context, under);
      kept.editing = false;
      kept.error.clear();
      if (again || hit.double_clicked)
        begin_editing(context, state,
                      figures::hand_number(state.input.worked.stages.at(under.stage).at(under.row, under.column), 6));
    }
  }
  if (hit.focused && !kept.editing) use_keys(context, state);
  figure_menu(context, "sheet menu", hit, [&] {
    return figures::framed(figures::by_hand_sheet(state.input, 980, 560, context.theme, context.measure), "", 16, context.theme);
  });
  if (kept.editing)
    if (const figures::Box box = figures::hand_box(state.input, width, height, context.measure, state.input.chosen); box.w > 0)
      draw_field(context, look, state, origin, box);
}

void draw_temperature(Context& context, const ui::Look& look, const ByHandState& state, float width) {
  ByHandTransient& kept = kept_of(context);
  ui::words(look, tr("temperature"), look.theme.secondary, 14);
  double place = place_of_temperature(state.input.hand.temperature);
  if (number_slider(look, "##temperature", &place, 0, 1, false, look.px(width - 84))) {
    by_hand::Case changed = state.input.hand;
    changed.temperature = temperature_at(place);
    set_case(context.view, kept, changed, "temperature");
  }
  if (!ImGui::IsItemActive() && kept.moving == "temperature") kept.moving.clear();
  name_part(context, "by-hand:temperature");
  ui::tooltip(look, tr("0: the largest score takes all; 1 in the middle; ∞: all alike"));
  slider_number(look, std::isinf(state.input.hand.temperature) ? "∞" : figures::hand_number(state.input.hand.temperature, 2), 70);
  ImGui::NewLine();
}

void draw_side(Context& context, const ui::Look& look, const ByHandState& state, float width, float height) {
  const float top = ImGui::GetCursorPosY();
  figures::Figure row = figures::by_hand_row(state.input, width, context.theme, context.measure);
  row.background.a = 0;
  const gl::Hit hit = context.figures.draw(row, "row");
  name_part(context, "by-hand:row");
  figure_menu(context, "row menu", hit, [&] {
    return figures::framed(figures::by_hand_row(state.input, 420, context.theme, context.measure), "", 16, context.theme);
  });
  draw_temperature(context, look, state, width);
  const float left = height - (ImGui::GetCursorPosY() - top) / look.scale - 10;
  // In a low window the column scrolls.
  figures::Figure plane =
      figures::by_hand_plane(state.input, width, std::clamp(left, kLeastPlane, kMostPlane), context.theme, context.measure);
  if (plane.items.empty()) return;
  plane.background.a = 0;
  const gl::Hit below = context.figures.draw(plane, "plane");
  name_part(context, "by-hand:plane");
  figure_menu(context, "plane menu", below, [&] {
    return figures::framed(figures::by_hand_plane(state.input, 480, 400, context.theme, context.measure), "", 16, context.theme);
  });
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  ByHandState state = by_hand_state(context);
  if (!context.view.presentation) draw_cases(context, look, state);
  if (!state.status.ok()) {
    ui::words(look, spoken_in_window(state.status.error()), look.theme.wrong, 15);
    return;
  }
  ImGui::Dummy({0, look.px(2)});
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = room.x / context.scale - 8, height = room.y / context.scale - 6;
  const bool side = width >= kLeastSheet + kSideGap + kSide;
  const float sheet = side ? width - kSide - kSideGap : width;
  const ImGuiChildFlags flags = ImGuiChildFlags_NavFlattened;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("tables", {look.px(sheet + 4), room.y}, flags, ImGuiWindowFlags_NoBackground))
    draw_sheet(context, look, state, sheet, height);
  ImGui::EndChild();
  if (side) {
    ImGui::SameLine(0, look.px(kSideGap));
    if (ImGui::BeginChild("row side", {0, room.y}, flags, ImGuiWindowFlags_NoBackground))
      draw_side(context, look, state, kSide - 16, height);
    ImGui::EndChild();
  }
  ImGui::PopStyleVar();
}

figures::Figure figure_of(const Context& context, float width, float) {
  const ByHandState state = by_hand_state(context);
  if (!state.status.ok()) return {};
  figures::Figure figure = figures::stacked(
      {figures::by_hand_sheet(state.input, width - 32, std::max(420.0f, 0.55f * width), context.theme, context.measure)}, 0, 16);
  figure.title = tr(state.preset->label.c_str());
  return figure;
}

figures::Figure row_figure(const Context& context, float width, float) {
  const ByHandState state = by_hand_state(context);
  if (!state.status.ok()) return {};
  const float column = std::min(width - 32, 460.0f);
  std::vector<figures::Figure> parts{figures::by_hand_row(state.input, column, context.theme, context.measure)};
  figures::Figure plane = figures::by_hand_plane(state.input, column, 0.8f * column, context.theme, context.measure);
  if (!plane.items.empty()) parts.push_back(std::move(plane));
  figures::Figure figure = figures::stacked(parts, 16, 16);
  figure.title = tr("One row by hand");
  return figure;
}

}  // namespace

Entry by_hand_panel() {
  Entry entry = {"by-hand", "By hand", "softmax(x W_q (x W_k)^T) x W_v", "Vaswani et al. 2017", draw, figure_of};
  entry.full_width = true;
  entry.pictures = {{"by-hand", "attention by hand: every table of a case", figure_of},
                    {"by-hand-row", "attention by hand: one score, its row, and the plane of the values", row_figure}};
  return entry;
}

}  // namespace headlight::panels
