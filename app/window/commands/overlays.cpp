#include "app/window/commands/overlays.h"

#include <algorithm>
#include <cmath>

#include "app/ui/style.h"
#include "app/window/commands/actions.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;

constexpr float kLine = 25, kLeastLine = 21, kTitleLine = 34, kAfter = 10;

// A key or mouse gesture that is not an action.
struct Habit {
  const char* keys;
  const char* words;
};
constexpr Habit kHabits[] = {
    {"Tab, Shift+Tab", tr_later("From control to control")},
    {"Space, Enter", tr_later("Presses the one with the amber ring")},
    {"Space, Shift+Space", tr_later("Next step of a lesson or walk-through; back")},
    {"Escape", tr_later("Closes what is open, leaves presentation mode")},
    {"C", tr_later("Copies what the inspector writes out")},
    {tr_later("hover"), tr_later("Lights row, column and tokens everywhere")},
    {tr_later("click"), tr_later("Pins a cell, chooses a head; again lets go")},
    {tr_later("wheel, drag"), tr_later("Zooms and moves a large picture")},
    {tr_later("double click"), tr_later("Zooms to the cell; again shows the whole picture")},
    {tr_later("right click"), tr_later("Exports or copies the picture under the mouse; on a token: what to do with it")},
    {"1-9, Backspace, 0", tr_later("While a class guesses: counts a guess, takes the last one back, forgets all")},
};

struct Row {
  std::string keys, words;
};
struct KeyGroup {
  std::string title;
  std::vector<Row> rows;
};

std::vector<KeyGroup> groups() {
  std::vector<KeyGroup> out;
  for (const char* id : {"document", "view", "window"}) {
    KeyGroup group{tr(id), {}};
    for (const Action& action : actions().entries())
      if (action.source == id && action.is_for_people && !action.keys.empty())
        group.rows.push_back({shortcut_words(action), tr(action.label.c_str())});
    out.push_back(std::move(group));
  }
  KeyGroup habits{tr("mouse and keyboard"), {}};
  for (const Habit& habit : kHabits) habits.rows.push_back({tr(habit.keys), tr(habit.words)});
  out.push_back(std::move(habits));
  return out;
}

float group_height(const KeyGroup& group, float line) {
  return kTitleLine + line * static_cast<float>(group.rows.size()) + kAfter;
}

void draw_group(const Look& look, const KeyGroup& group, ImVec2 at, float keys_width, float width, float line) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  look.figures.text(list, at, group.title, kBody, Font::words_bold, look.theme.selected);
  float y = at.y + look.px(kTitleLine);
  for (const Row& row : group.rows) {
    look.figures.text(list, {at.x, y}, row.keys, kSmall, Font::mono, look.theme.secondary);
    look.figures.text(list, {at.x + keys_width, y - look.px(1)}, row.words, 14, Font::words, look.theme.text, width - keys_width);
    y += look.px(line);
  }
}

}  // namespace

void draw_shortcut_sheet(Shell& shell, const Look& look) {
  static constexpr const char* kId = "shortcut sheet";
  if (shell.ui.sheet_open && !ImGui::IsPopupOpen(kId)) {
    if (shell.ui.sheet_shown) {  // closed by a click outside
      shell.ui.sheet_open = shell.ui.sheet_shown = false;
      return;
    }
    ImGui::OpenPopup(kId);
  }
  shell.ui.sheet_shown = shell.ui.sheet_open;
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const std::vector<KeyGroup> all = groups();
  float keys_width = 0, words_width = 0;
  for (const KeyGroup& group : all)
    for (const Row& row : group.rows) {
      keys_width = std::max(keys_width, look.figures.width(row.keys, kSmall, Font::mono) * look.scale);
      words_width = std::max(words_width, look.figures.width(row.words, 14, Font::words) * look.scale);
    }
  keys_width += look.px(20);
  // Two columns if the words fit, else one.
  const bool one = keys_width + words_width > (screen.x - look.px(96) - look.px(36)) / 2;
  const float gap = one ? 0 : look.px(36), column = std::min(keys_width + words_width, screen.x - look.px(96));
  // Two columns of about the same height; in a short window the list scrolls.
  float total = 0, left = 0;
  for (const KeyGroup& group : all) total += group_height(group, kLine);
  std::size_t split = 0;
  while (split < all.size() && !one && left + group_height(all[split], kLine) / 2 < total / 2)
    left += group_height(all[split++], kLine);
  if (one) split = all.size();
  const float head = look.px(44), most = screen.y - look.px(16) - head - look.px(48);
  // Lines get closer before a part of the list is cut off.
  float line = kLine, height = 0;
  for (;; line = std::max(kLeastLine, line - 1)) {
    float first = 0, second = 0;
    for (std::size_t i = 0; i < all.size(); ++i) (i < split ? first : second) += group_height(all[i], line);
    height = look.px(std::max(first, second));
    if (height <= most || line <= kLeastLine) break;
  }
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize(
      {(one ? column : 2 * column) + gap + look.px(48), std::min(height + head + look.px(48), screen.y - look.px(16))});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(24), look.px(20)));
  if (ImGui::BeginPopup(kId, ImGuiWindowFlags_NoMove)) {
    const ImVec2 start = ImGui::GetCursorScreenPos();
    look.figures.text(*ImGui::GetWindowDrawList(), start, tr("Shortcuts"), kTitle, Font::words_bold, look.theme.text);
    ImVec2 at(start.x, start.y + head);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == split) at = {start.x + column + gap, start.y + head};
      draw_group(look, all[i], at, keys_width, column, line);
      at.y += look.px(group_height(all[i], line));
    }
    ImGui::Dummy({1, head + height});
    if (!shell.ui.sheet_open) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

void draw_pointer(const Look& look) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!ImGui::IsMousePosValid(&io.MousePos)) return;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  // Rings of light that add up towards the middle; none of them hides what is below.
  constexpr int kRings = 6;
  const float radius = look.px(26);
  for (int i = 0; i < kRings; ++i)
    list.AddCircleFilled(io.MousePos, radius * static_cast<float>(kRings - i) / kRings, gl::packed(look.theme.selected, 0.055f),
                         40);
  list.AddCircle(io.MousePos, radius, gl::packed(look.theme.selected, 0.55f), 48, std::max(1.0f, 1.5f * look.scale));
}

void draw_notice(Shell& shell, const Look& look) {
  if (shell.ui.notice.empty()) return;
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const float width = std::min(look.figures.width(shell.ui.notice, 14, Font::words) * look.scale, screen.x - look.px(96));
  const float high = look.px(36), left = std::round((screen.x - width) / 2),
              top = screen.y - shell.ui.strip.height - high - look.px(12);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImVec2 low(left - look.px(18), top), end(left + width + look.px(18), top + high);
  list.AddRectFilled(low, end, gl::packed(look.theme.panel), look.px(8));
  list.AddRect(low, end, gl::packed(shell.ui.notice_bad ? look.theme.wrong : look.theme.line), look.px(8));
  look.figures.text(list, {left, std::round(top + (high - look.figures.line_height(14, Font::words) * look.scale) / 2)},
                    shell.ui.notice, 14, Font::words, look.theme.text, width + 1);
}

}  // namespace headlight::window
