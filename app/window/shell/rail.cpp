#include "app/window/shell/rail.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

#include "app/ui/style.h"
#include "app/views/base/view.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;

constexpr float kWide = 152, kNarrow = 120, kFolded = 48;                      // its width
constexpr float kWideWindow = 1440, kRoomForNames = 1280, kRoomForRail = 720;  // in a window of this width
constexpr float kInset = 16, kNarrowInset = 12, kRailStatusHeight = 32, kBottom = 40;
constexpr float kCaption = 12;  // the size of the groups' names
constexpr const char* kOver = "popup/rail";

// Where the rail has no place beside the view, or none for names.
float window_width(const Shell& shell) {
  return ImGui::GetMainViewport()->Size.x / std::max(0.1f, static_cast<float>(shell.last_scale));
}
bool has_no_rail(const Shell& shell) { return shell.view().presentation || window_width(shell) < kRoomForRail; }
bool is_narrow(const Shell& shell) { return window_width(shell) < kRoomForNames - 0.5f; }

// Heights in points of what stands below each other.
struct Rows {
  float top = 0, entry = 28, caption = 26, gap = 14;  // above the first group; a view; a group's name; between two groups
  bool captions = true, lamp = true;
};

using Views = std::vector<const views::View*>;
std::vector<std::pair<const views::Group*, Views>> shown_groups() {
  std::vector<std::pair<const views::Group*, Views>> all;
  for (const views::Group& group : views::groups()) {
    Views views;
    for (const views::View& entry : views::registry().entries())
      if (entry.group == group.id) views.push_back(&entry);
    if (!views.empty()) all.emplace_back(&group, std::move(views));
  }
  return all;
}

// The roomiest rows that fit into `height`; if none does, the rail scrolls.
Rows rows_in(float height, bool folded, bool tall) {
  constexpr std::array<Rows, 6> kNamed = {{{64, 28, 26, 14, true, true},
                                           {44, 26, 26, 9, true, true},
                                           {44, 24, 20, 6, true, true},
                                           {44, 24, 0, 9, false, true},
                                           {6, 24, 0, 7, false, false},
                                           {6, 21, 0, 3, false, false}}};
  constexpr std::array<Rows, 4> kPictures = {
      {{64, 36, 0, 13, false, true}, {48, 32, 0, 9, false, true}, {44, 28, 0, 9, false, true}, {6, 28, 0, 7, false, false}}};
  const auto groups = shown_groups();
  std::size_t views = 0;
  for (const auto& [group, list] : groups) views += list.size();
  const auto choose = [&](const auto& choices) {
    for (const Rows& rows : std::span(choices).subspan(tall ? 0 : 1)) {
      const auto count = static_cast<float>(groups.size());
      if (rows.top + count * (rows.caption + rows.gap) + static_cast<float>(views) * rows.entry <= height) return rows;
    }
    return choices.back();
  };
  return folded ? choose(kPictures) : choose(kNamed);
}

// The lines of an entry's picture, in a square of `side` pixels at `low`.
void draw_icon(const std::string& lines, ImVec2 low, float side, ImU32 color, float thickness) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::vector<ImVec2> points;
  const auto end_line = [&] {
    if (points.size() > 1) list.AddPolyline(points.data(), static_cast<int>(points.size()), color, 0, thickness);
    points.clear();
  };
  for (const char* at = lines.c_str(); *at;) {
    char* next = nullptr;
    const float x = std::strtof(at, &next);
    if (next == at || *next != ',') break;
    at = next + 1;
    const float y = std::strtof(at, &next);
    if (next == at) break;
    points.emplace_back(low.x + x / 20 * side, low.y + y / 20 * side);
    at = next;
    if (*at == ';') {
      end_line();
      ++at;
    }
  }
  end_line();
}

// One rail in one frame: where it stands, or laid over the view. Sizes in pixels; returns whether a view was chosen.
bool draw_one_rail(Shell& shell, const Look& look, bool folded, bool over, float width, ImVec2 corner, float height) {
  const float inset = width >= look.px(kWide) ? kInset : kNarrowInset, hairline = std::max(1.0f, std::floor(look.scale));
  const float bottom = look.px(kBottom), room = height - bottom;
  const auto text_height = [&](float size) { return look.figures.line_height(size, Font::words) * look.scale; };
  bool chosen = false;
  ImDrawList& ground = *ImGui::GetWindowDrawList();
  ground.AddRectFilled(corner, {corner.x + width, corner.y + height}, gl::packed(look.theme.panel));
  ground.AddRectFilled({corner.x + width - hairline, corner.y}, {corner.x + width, corner.y + height},
                       gl::packed(look.theme.line));
  const Rows rows = rows_in(room / look.scale, folded, is_tall(look));
  if (rows.lamp)
    draw_lamp(look,
              {corner.x + look.px(folded ? 19 : inset + 8), corner.y + look.px(is_low(look)    ? 23
                                                                               : is_tall(look) ? 36
                                                                                               : 28)},
              8, folded ? "" : "Headlight");

  ImGui::SetCursorScreenPos({corner.x, corner.y + look.px(rows.top)});
  if (ImGui::BeginChild("rail", {width, std::max(1.0f, room - look.px(rows.top))}, ImGuiChildFlags_NavFlattened,
                        ImGuiWindowFlags_NoBackground)) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    ImDrawList& list = *ImGui::GetWindowDrawList();
    bool first = true;
    for (const auto& [group, views] : shown_groups()) {
      // The name of the group, or a line where there is no room for names.
      const ImVec2 above = ImGui::GetCursorScreenPos();
      const float gap = look.px(rows.gap);
      if (rows.captions)
        look.figures.text(
            list, {above.x + look.px(inset), std::round(above.y + gap + (look.px(rows.caption) - text_height(kCaption)) / 2)},
            tr(group->label.c_str()), kCaption, Font::words, look.theme.faint);
      else if (!first)
        list.AddRectFilled({above.x + look.px(12), std::round(above.y + gap / 2)},
                           {above.x + width - look.px(12), std::round(above.y + gap / 2) + hairline},
                           gl::packed(look.theme.line));
      ImGui::SetCursorScreenPos({above.x, above.y + gap + look.px(rows.caption)});
      first = false;
      for (const views::View* entry : views) {
        const bool selected = entry->id == shell.view().tab;
        const ImVec2 low = ImGui::GetCursorScreenPos(), high(low.x + width, low.y + look.px(rows.entry));
        const char* label = tr(entry->label.c_str());
        // The keyboard's ring needs room at the sides.
        ImGui::SetCursorScreenPos({low.x + look.px(6), low.y + look.px(1)});
        ImGui::PushID(entry->id.c_str());
        // Tab stops once in the rail, at the selected view; the arrows go through it.
        ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop, !selected);
        if (selected) shell.takes_focus("rail");
        if (ImGui::InvisibleButton("view", {width - look.px(12), look.px(rows.entry) - look.px(2)}, ImGuiButtonFlags_EnableNav)) {
          choose_view(shell, entry->id);
          chosen = true;
        }
        ImGui::PopItemFlag();
        const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
        const std::string formula = tr(entry->formula.c_str()), seen = tr(entry->sees.c_str());
        if (folded)
          tooltip(look, label + (": " + seen), formula);
        else if (!over)  // there it would cover the names below
          tooltip(look, seen, entry->source.empty() ? formula : formula + "\n" + entry->source);
        ImGui::PopID();
        shell.name_part("rail:" + entry->id);
        if (selected) {
          list.AddRectFilled(low, {high.x - hairline, high.y}, gl::packed(look.theme.raised));
          list.AddRectFilled(low, {low.x + look.px(3), high.y}, gl::packed(look.theme.selected));
        }
        const figures::Color color = selected || hot ? look.theme.text : look.theme.secondary;
        if (folded) {
          const float side = look.px(20);
          draw_icon(entry->icon, {std::round((low.x + high.x - side) / 2), std::round((low.y + high.y - side) / 2)}, side,
                    gl::packed(selected ? look.theme.selected : color), std::max(1.0f, 1.5f * look.scale));
        } else {
          look.figures.text(list, {low.x + look.px(inset), std::round((low.y + high.y - text_height(kBody)) / 2)}, label, kBody,
                            selected ? Font::words_bold : Font::words, color);
        }
        ImGui::SetCursorScreenPos({low.x, high.y});
      }
    }
    ImGui::Dummy({1, 0});
    ImGui::PopStyleVar();
  }
  ImGui::EndChild();
  shell.name_part("rail");

  const float middle = corner.y + height - bottom / 2;
  if (!folded) {  // Ctrl+P in a frame, and what it does: finds anything by its letters
    const char* keys = "Ctrl+P";
    const char* label = tr("find");
    const float key_width = look.figures.width(keys, kCaption, Font::words) * look.scale + look.px(12);
    const float wide = key_width + look.px(6) + look.figures.width(label, kSmall, Font::words) * look.scale;
    const float left = corner.x + look.px(inset), frame = look.px(22);
    ImGui::SetCursorScreenPos({left, middle - look.px(13)});
    if (ImGui::InvisibleButton("rail find", {wide, look.px(26)}, ImGuiButtonFlags_EnableNav)) {
      shell.palette.ask();
      chosen = true;
    }
    tooltip(look, tr("Finds a view, a setting, a lesson or anything else by a few letters of its name (Ctrl+P)"));
    shell.name_part("rail:find");
    const figures::Color color = ImGui::IsItemHovered() || ImGui::IsItemFocused() ? look.theme.text : look.theme.secondary;
    ground.AddRect({left, std::round(middle - frame / 2)}, {left + key_width, std::round(middle + frame / 2)},
                   gl::packed(look.theme.line), look.px(6), 0, hairline);
    look.figures.text(ground, {left + look.px(6), std::round(middle - text_height(kCaption) / 2)}, keys, kCaption, Font::words,
                      color);
    look.figures.text(ground, {left + key_width + look.px(6), std::round(middle - text_height(kSmall) / 2)}, label, kSmall,
                      Font::words, color);
  }
  if (!over) {  // the arrow that folds the rail and unfolds it
    const float x = folded ? corner.x + width / 2 : corner.x + width - look.px(16), half = look.px(12), r = look.px(5);
    ImGui::SetCursorScreenPos({x - half, middle - half});
    if (ImGui::InvisibleButton("rail fold", {2 * half, 2 * half}, ImGuiButtonFlags_EnableNav)) turn_rail(shell);
    tooltip(look, folded ? tr("Shows the names of the views (Ctrl+B)") : tr("Folds the names away, for a wider view (Ctrl+B)"));
    shell.name_part("rail:fold");
    const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
    const float d = folded ? 1.0f : -1.0f;
    const ImVec2 arrow[] = {{x - d * r / 2, middle - r}, {x + d * r / 2, middle}, {x - d * r / 2, middle + r}};
    ground.AddPolyline(arrow, 3, gl::packed(hot ? look.theme.text : look.theme.secondary), 0, 1.5f * look.scale);
  }
  return chosen;
}

// The rail laid over the view, as a popup: a click beside it, Escape or its key takes it away.
void draw_over(Shell& shell, const Look& look, float width) {
  if (shell.ui.rail_asked > 0) {
    ImGui::OpenPopup(kOver);
    shell.ui.focus_region = "rail";
  }
  const bool ends = shell.ui.rail_asked < 0;
  shell.ui.rail_asked = 0;
  shell.ui.rail_over = false;
  if (!ImGui::IsPopupOpen(kOver)) return;
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.Pos);
  ImGui::SetNextWindowSize({width, viewport.Size.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_PopupBorderSize, 0.0f);
  const bool open = ImGui::BeginPopup(kOver, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar(3);
  if (!open) return;
  const bool chosen = draw_one_rail(shell, look, false, true, width, viewport.Pos, viewport.Size.y);
  shell.ui.rail_over = !ends && !chosen;
  if (!shell.ui.rail_over) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

// Wide enough for the longest name, in pixels.
float named_width(const Shell& shell, const Look& look) {
  const bool wide = window_width(shell) >= kWideWindow;
  float width = look.px(wide ? kWide : kNarrow);
  for (const views::View& entry : views::registry().entries())
    width = std::max(width, std::ceil(look.figures.width(tr(entry.label.c_str()), kBody, Font::words_bold) * look.scale) +
                                look.px(2 * kNarrowInset));
  return width;
}

}  // namespace

void draw_lamp(const Look& look, ImVec2 at, float radius, std::string_view name) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const figures::Color amber = look.theme.selected;
  const float r = look.scale * radius, x = at.x + r * 1.5f, far = at.x + r * 2.9f, spread = r * 0.72f;
  list.AddCircleFilled(at, r, gl::packed(amber), 32);
  list.AddTriangleFilled({x, at.y}, {far, at.y - spread}, {far, at.y + spread}, gl::packed(amber, 0.4f));
  if (name.empty()) return;
  look.figures.text(
      list, {std::round(at.x + r * 3.4f), std::round(at.y - look.figures.line_height(kBody, Font::words_bold) * look.scale / 2)},
      name, kBody, Font::words_bold, look.theme.text);
}

void choose_view(Shell& shell, const std::string& id) {
  shell.view().tab = id;
  shell.ui.lesson_turn.reading = false;
}

void turn_rail(Shell& shell) {
  if (shell.view().presentation || is_narrow(shell))
    shell.ui.rail_asked = shell.ui.rail_over ? -1 : 1;
  else
    shell.view().rail_folded = !shell.view().rail_folded;
}

void draw_rail_button(Shell& shell, const Look& look, float top, float height) {
  const float left = look.px(12), wide = look.px(40);
  ImGui::SetCursorPos({left, top});
  if (ImGui::InvisibleButton("rail show", {wide, height}, ImGuiButtonFlags_EnableNav)) turn_rail(shell);
  tooltip(look, tr("Shows the names of the views (Ctrl+B)"));
  shell.name_part("rail:show");
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  for (const float line : {-6.0f, 0.0f, 6.0f}) {
    const float y = std::round((low.y + high.y) / 2 + look.scale * line);
    ImGui::GetWindowDrawList()->AddLine({low.x + look.px(10), y}, {high.x - look.px(10), y},
                                        gl::packed(hot ? look.theme.text : look.theme.secondary),
                                        std::max(1.0f, 1.5f * look.scale));
  }
}

void draw_rail(Shell& shell, const Look& look) {
  const float named = named_width(shell, look);
  if (has_no_rail(shell)) {
    shell.ui.rail = 0;
  } else {
    const bool folded = shell.view().rail_folded || is_narrow(shell);
    shell.ui.rail = folded ? look.px(kFolded) : named;
    const float below = room_of(look) == Room::least ? 0 : look.px(kRailStatusHeight);
    draw_one_rail(shell, look, folded, false, shell.ui.rail, ImGui::GetWindowPos(), ImGui::GetWindowHeight() - below);
  }
  draw_over(shell, look, named);
}

}  // namespace headlight::window
