#include "app/ui/widgets.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "app/figures/base/compose.h"
#include "app/gl/term_marks.h"
#include "app/ui/style.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::ui {

using figures::Font;
using gl::packed;

float Look::px(float points) const { return std::round(points * scale); }

Room room_of(const Look& look) {
  constexpr float kLowRoom = 600, kLeastRoom = 440;  // points
  const float height = ImGui::GetMainViewport()->Size.y / look.scale;
  return height < kLeastRoom ? Room::least : height < kLowRoom ? Room::low : Room::ample;
}
bool is_low(const Look& look) { return room_of(look) != Room::ample; }
bool is_tall(const Look& look) {
  constexpr float kTall = 860;  // points
  return ImGui::GetMainViewport()->Size.y / look.scale >= kTall;
}

namespace {

float text_width(const Look& look, std::string_view text, float size, Font font) {
  return look.figures.width(text, size, font) * look.scale;
}
float line_pixels(const Look& look, float size, Font font) { return look.figures.line_height(size, font) * look.scale; }

// A text that is too wide, such as the name that a model was published under, ends in an ellipsis.
void centred_text(const Look& look, ImVec2 low, ImVec2 high, std::string_view text, float size, Font font, figures::Color color) {
  const float room = high.x - low.x, wide = text_width(look, text, size, font), h = line_pixels(look, size, font);
  const bool fits = wide <= room - look.px(4);
  const float w = fits ? wide : room - look.px(16);
  look.figures.text(*ImGui::GetWindowDrawList(), {std::round((low.x + high.x - w) / 2), std::round((low.y + high.y - h) / 2)},
                    text, size, font, color, fits ? 0 : w);
}

float alpha() { return ImGui::GetStyle().Alpha; }

bool has_fraction(std::string_view text) {
  const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  for (std::size_t at = text.find('.'); at != std::string_view::npos; at = text.find('.', at + 1))
    if (at > 0 && digit(at - 1) && digit(at + 1)) return true;
  return false;
}

// Set by tests only; a single thread draws the window.
ControlLog* watched = nullptr;
bool keys_were_last = false;  // the last input was a key, not the mouse

// Records the control that was just made.
void note(std::string_view shown) {
  if (!watched) return;
  watched->controls.emplace(ImGui::GetItemID(), shown);
  const ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImGuiWindow* window = GImGui->CurrentWindow;
  ImVec2 scrolls(0, 0);
  for (const ImGuiWindow* w = window; w; w = (w->Flags & ImGuiWindowFlags_ChildWindow) ? w->ParentWindow : nullptr) {
    if (w->Flags & ImGuiWindowFlags_HorizontalScrollbar) scrolls.x = std::max(scrolls.x, w->ScrollMax.x);
    if (!(w->Flags & ImGuiWindowFlags_NoScrollbar)) scrolls.y = std::max(scrolls.y, w->ScrollMax.y);
  }
  watched->places.push_back({std::string(shown), ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), list.GetClipRectMin(),
                             list.GetClipRectMax(), scrolls, (window->RootWindow->Flags & ImGuiWindowFlags_Popup) != 0});
}

}  // namespace

void watch_controls(ControlLog* log) { watched = log; }

void follow_keys_and_mouse() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0) keys_were_last = false;
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_GamepadStart; ++key)
    if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(key))) keys_were_last = true;
}

std::string labelled(const char* text, const char* id) { return std::string(text) + "###" + id; }

float pill_width(const Look& look, std::string_view label, std::string_view value) {
  const float quiet = label.empty() ? 0 : text_width(look, label, kSmall, Font::words) + look.px(8);
  return look.px(10) + quiet + text_width(look, value, 14, Font::words) + look.px(24);
}

bool pill(const Look& look, const char* id, std::string_view label, std::string_view value, float width, bool open) {
  const gl::NoTermMarks plain;
  const gl::Uncovered control(look.figures);
  if (width <= 0) width = pill_width(look, label, value);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton(id, {width, look.px(kPillHeight)}, ImGuiButtonFlags_EnableNav);
  note(label);
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  const ImVec2 high(low.x + width, low.y + look.px(kPillHeight));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, high, packed(hot || open ? look.theme.raised : look.theme.panel, alpha()), look.px(8));
  list.AddRect(low, high, packed(open ? look.theme.selected : look.theme.line, alpha()), look.px(8), 0,
               std::max(1.0f, std::floor(look.scale)));
  const float middle = (low.y + high.y) / 2;
  const float label_high = line_pixels(look, kSmall, Font::words), value_high = line_pixels(look, 14, Font::words);
  look.figures.text(list, {low.x + look.px(10), std::round(middle - label_high / 2)}, label, kSmall, Font::words,
                    look.theme.secondary);
  const float quiet = label.empty() ? 0 : text_width(look, label, kSmall, Font::words) + look.px(8);
  const float room = width - look.px(10) - quiet - look.px(24);
  const float value_wide = std::min(text_width(look, value, 14, Font::words), room);
  look.figures.text(list, {std::round(high.x - look.px(24) - value_wide), std::round(middle - value_high / 2)}, value, 14,
                    Font::words, look.theme.text, room + 1);
  const float x = high.x - look.px(14), r = look.px(4);
  const ImVec2 arrow[] = {{x - r, middle - r / 2}, {x, middle + r / 2}, {x + r, middle - r / 2}};
  list.AddPolyline(arrow, 3, packed(look.theme.secondary, alpha()), 0, 1.5f * look.scale);
  return clicked;
}

bool button(const Look& look, const char* label, float width, float height, bool strong, bool enabled) {
  const gl::NoTermMarks plain;
  const gl::Uncovered control(look.figures);
  const std::string_view shown = std::string_view(label).substr(0, std::string_view(label).find("##"));
  if (width <= 0) width = text_width(look, shown, 14, Font::words) + look.px(32);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImGui::BeginDisabled(!enabled);
  const bool clicked = ImGui::InvisibleButton(label, {width, look.px(height)}, ImGuiButtonFlags_EnableNav);
  note(shown);
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  const ImVec2 high(low.x + width, low.y + look.px(height));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  figures::Color fill = hot ? look.theme.line : look.theme.raised;
  if (strong) fill = {look.theme.selected.r, look.theme.selected.g, look.theme.selected.b, hot ? 0.28f : 0.16f};
  list.AddRectFilled(low, high, packed(fill, alpha()), look.px(8));
  list.AddRect(low, high, packed(strong ? look.theme.selected : look.theme.line, alpha()), look.px(8), 0,
               std::max(1.0f, std::floor(look.scale)));
  centred_text(look, low, high, shown, 14, Font::words, strong ? look.theme.selected : look.theme.text);
  ImGui::EndDisabled();
  return clicked;
}

bool toggle(const Look& look, const char* label, bool* value) {
  const gl::NoTermMarks plain;
  const gl::Uncovered control(look.figures);
  const std::string_view shown = std::string_view(label).substr(0, std::string_view(label).find("##"));
  const float track = look.px(32), high_px = look.px(18), row = look.px(28);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float width = track + look.px(10) + text_width(look, shown, 14, Font::words);
  const bool clicked = ImGui::InvisibleButton(label, {width, row}, ImGuiButtonFlags_EnableNav);
  note(shown);
  if (clicked) *value = !*value;
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 a(low.x, std::round(low.y + (row - high_px) / 2)), b(low.x + track, a.y + high_px);
  const figures::Color amber = look.theme.selected;
  list.AddRectFilled(a, b, packed(*value ? figures::Color{amber.r, amber.g, amber.b, 0.25f} : look.theme.raised, alpha()),
                     high_px / 2);
  list.AddRect(a, b, packed(*value ? amber : hot ? look.theme.secondary : look.theme.line, alpha()), high_px / 2);
  const float r = high_px / 2 - look.px(3);
  list.AddCircleFilled({*value ? b.x - high_px / 2 : a.x + high_px / 2, (a.y + b.y) / 2}, r,
                       packed(*value ? amber : look.theme.secondary, alpha()));
  look.figures.text(list, {b.x + look.px(10), std::round(low.y + (row - line_pixels(look, 14, Font::words)) / 2)}, shown, 14,
                    Font::words, *value ? look.theme.text : look.theme.secondary);
  return clicked;
}

int segmented(const Look& look, const char* id, const char* const* labels, int count, int selected, const char* const* why) {
  int clicked = -1;
  ImGui::PushID(id);
  for (int i = 0; i < count; ++i) {
    if (i) ImGui::SameLine(0, look.px(4));
    const std::string label = labelled(labels[i], std::to_string(i).c_str());
    if (button(look, label.c_str(), text_width(look, labels[i], 14, Font::words) + look.px(24), 28, i == selected)) clicked = i;
    if (why && why[i]) tooltip(look, why[i]);
  }
  ImGui::PopID();
  return clicked;
}

int segmented(const Look& look, const char* id, const char* const* labels, int count, int selected, std::string_view why) {
  const std::string words(why);
  const std::vector<const char*> each(static_cast<std::size_t>(count), words.c_str());
  return segmented(look, id, labels, count, selected, each.data());
}

std::string duration_words(double seconds) {
  char text[32];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.0f us", seconds * 1e6);
  else if (seconds < 1)
    std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.2f s", seconds);
  return text;
}

namespace {

constexpr float kHighestControl = 64, kTooltipRoom = 120;  // points

// Below the control that it is of, or above where there is no room: the tooltip never covers the control. Beside the mouse, as
// ImGui has it, over what is higher than a control.
void place_tooltip(const Look& look) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(), screen = ImGui::GetMainViewport()->Size;
  if (high.y - low.y > look.px(kHighestControl)) return;
  const bool below = high.y + look.px(kTooltipRoom) <= screen.y, left = (low.x + high.x) / 2 <= screen.x / 2;
  ImGui::SetNextWindowPos({left ? std::max(low.x, look.px(4)) : std::min(high.x, screen.x - look.px(4)),
                           below ? high.y + look.px(6) : low.y - look.px(6)},
                          ImGuiCond_Always, {left ? 0.0f : 1.0f, below ? 0.0f : 1.0f});
}

}  // namespace

void tooltip(const Look& look, std::string_view text, std::string_view formula) {
  if (text.empty()) return;
  const std::optional<std::string> shown = look.figures.uncovered(text), shown_formula = look.figures.uncovered(formula);
  if (watched) watched->explained.insert(ImGui::GetItemID());
  // while the user types or drags in the control, a tooltip would cover the effect
  if (ImGui::IsItemActive()) return;
  if (keys_were_last && !GImGui->NavHighlightItemUnderNav) return;  // the item that the keyboard highlights shows its own tooltip
  if (!shown || !shown_formula) return;                             // it would tell what is covered
  text = *shown;
  formula = *shown_formula;
  // A disabled control shows its tooltip, too.
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal | ImGuiHoveredFlags_NoSharedDelay |
                            ImGuiHoveredFlags_AllowWhenDisabled))
    return;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(12), look.px(8)));
  place_tooltip(look);
  if (ImGui::BeginTooltip()) {
    ImGui::PushFont(look.fonts.words, kSmall * look.scale * look.fonts.words_em);
    ImGui::PushTextWrapPos(look.px(360));
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopFont();
    if (!formula.empty()) {
      ImGui::PushFont(look.fonts.mono, kSmall * look.scale * look.fonts.mono_em);
      ImGui::PushStyleColor(ImGuiCol_Text, gl::vec4(look.theme.secondary));
      ImGui::TextUnformatted(formula.data(), formula.data() + formula.size());
      ImGui::PopStyleColor();
      ImGui::PopFont();
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  ImGui::PopStyleVar();
}

void caption(const Look& look, std::string_view text) { words(look, text, look.theme.secondary); }

void words(const Look& look, std::string_view text, figures::Color color, float size) {
  const std::optional<std::string> kept = look.figures.uncovered(text);
  if (kept) text = *kept;
  ImGui::PushFont(look.fonts.words, size * look.scale * look.fonts.words_em);
  ImGui::PushStyleColor(ImGuiCol_Text, gl::vec4(color));
  ImGui::PushTextWrapPos(0);
  const float wrap_room = ImGui::CalcWrapWidthForPos(ImGui::GetCursorScreenPos(), 0);
  // ImGui breaks lines behind a period, even the one in a number, so the text is broken here.
  std::string broken;
  const float room = std::floor(ImGui::GetContentRegionAvail().x / look.scale) - 1;
  if (has_fraction(text) && room > 40 && look.figures.width(text, size, Font::words) > room) {
    for (const std::string& line : figures::wrap(text, room, size, Font::words, look.figures))
      broken += (broken.empty() ? "" : "\n") + line;
  }
  const std::string_view shown = broken.empty() ? text : std::string_view(broken);
  if (kept) {
    ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
    look.figures.tell(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), text, size, Font::words);
    gl::mark_wrapped_terms(shown, ImGui::GetItemRectMin(), wrap_room, look.scale);
  } else {
    ImGui::Dummy(ImGui::CalcTextSize(shown.data(), shown.data() + shown.size(), false, ImGui::GetContentRegionAvail().x));
    look.figures.cover_sentence(*ImGui::GetWindowDrawList(), ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  }
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

}  // namespace headlight::ui
