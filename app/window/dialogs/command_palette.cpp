#include "app/window/dialogs/command_palette.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "app/gl/shaping.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "engine/core/sorting.h"
#include "engine/text/utf8.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;

constexpr float kRow = 36, kPaletteWidth = 640, kMostRows = 11;

char32_t folded(char32_t c) { return c < 0x80 ? static_cast<char32_t>(std::tolower(static_cast<int>(c))) : c; }

std::vector<char32_t> letters_of(std::string_view text) {
  std::vector<char32_t> out;
  for (std::size_t at = 0; at < text.size();) out.push_back(folded(gl::next_code_point(text, at)));
  return out;
}

bool is_letter(char32_t c) { return c >= 0x80 || std::isalnum(static_cast<int>(c)); }

// Whether every word of the query is the beginning of a word in the text.
bool words_begin(std::string_view query, std::string_view text) {
  const std::vector<char32_t> in = letters_of(text), all = letters_of(query);
  bool any = false;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end] != ' ') ++end;
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin), to = all.begin() + static_cast<std::ptrdiff_t>(end);
    if (from != to) {
      bool found = false;
      for (auto at = in.begin(); !found && (at = std::search(at, in.end(), from, to)) != in.end(); ++at)
        found = at == in.begin() || !is_letter(*(at - 1)) || *at >= 0x80;
      if (!found) return false;
      any = true;
    }
    begin = end + 1;
  }
  return any;
}

}  // namespace

int fuzzy_score(std::string_view query, std::string_view text) {
  std::vector<char32_t> wanted;
  for (const char32_t c : letters_of(query))
    if (c != ' ') wanted.push_back(c);
  if (wanted.empty()) return 1;
  const std::vector<char32_t> in = letters_of(text);
  // The best way to match the letters: best[j] is the score of the letters so far if the last one matches in[j].
  constexpr int kNone = -1;
  std::vector<int> best(in.size(), kNone), next(in.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    int before = i == 0 ? 0 : kNone;  // the best score that ends before in[j - 1]
    bool any = false;
    for (std::size_t j = 0; j < in.size(); ++j) {
      next[j] = kNone;
      if (in[j] == wanted[i]) {
        const bool begins = j == 0 || !is_letter(in[j - 1]);
        const int joined = i > 0 && j > 0 && best[j - 1] != kNone ? best[j - 1] + 8 : kNone;
        const int apart = before == kNone ? kNone : before + (begins ? 6 : 1);
        next[j] = std::max(joined, apart);
        any = any || next[j] != kNone;
      }
      if (i > 0) before = std::max(before, best[j]);
    }
    if (!any) return 0;
    best.swap(next);
  }
  const int most = *std::max_element(best.begin(), best.end());
  // Of two equal matches, the one in the shorter text is better.
  return most == kNone ? 0 : 1 + most * 256 - static_cast<int>(std::min<std::size_t>(in.size(), 255));
}

void Palette::search() {
  std::vector<std::pair<int, std::size_t>> scored;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const Command& c = commands_[i];
    // "mask causal" matches kind and name, "causal" the name.
    const int score =
        std::max({fuzzy_score(query_, c.shown), fuzzy_score(query_, c.english), fuzzy_score(query_, c.kind + " " + c.shown) - 1,
                  fuzzy_score(query_, c.kind + " " + c.english) - 1});
    if (score > 0) {
      scored.emplace_back(-score, i);
    } else if (words_begin(query_, c.why)) {  // matches in descriptions come after all matches in names
      scored.emplace_back(0, i);
    }
  }
  if (!query_.empty()) sort_stably(scored, [](const auto& a, const auto& b) { return a.first < b.first; });
  found_.clear();
  for (const auto& [score, index] : scored) found_.push_back(index);
  selected_ = 0;
  moved_ = true;
  searched_ = query_;
}

void Palette::draw_list(const Look& look, float height) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  std::ptrdiff_t chosen = -1;
  if (ImGui::BeginChild("found", {0, height}, ImGuiChildFlags_None, ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground)) {
    ImGuiListClipper clipper;
    const float row = look.px(kRow);
    clipper.Begin(static_cast<int>(found_.size()), row);
    if (moved_) clipper.IncludeItemByIndex(static_cast<int>(selected_));
    while (clipper.Step())
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const Command& c = commands_[found_[static_cast<std::size_t>(i)]];
        ImGui::PushID(i);
        const ImVec2 low = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x;
        if (ImGui::InvisibleButton("command", {width, row})) chosen = i;
        // The mouse selects an entry only when it moves, not when the list scrolls under it.
        const ImVec2 delta = ImGui::GetIO().MouseDelta;
        if (ImGui::IsItemHovered() && (delta.x != 0 || delta.y != 0)) selected_ = i;
        // What it does stands below the list while it is selected.
        const bool selected = i == selected_;
        if (selected && moved_) ImGui::SetScrollHereY(0.5f);
        ImDrawList& list = *ImGui::GetWindowDrawList();
        if (selected) {
          list.AddRectFilled(low, {low.x + width, low.y + row}, gl::packed(look.theme.raised), look.px(6));
          list.AddRectFilled(low, {low.x + look.px(3), low.y + row}, gl::packed(look.theme.selected), look.px(1));
        }
        const auto y = [&](float size) {
          return std::round(low.y + (row - look.figures.line_height(size, Font::words) * look.scale) / 2);
        };
        float right = low.x + width - look.px(12);
        if (!c.shortcut.empty()) {
          right -= look.figures.width(c.shortcut, kSmall, Font::mono) * look.scale;
          look.figures.text(list, {right, y(kSmall)}, c.shortcut, kSmall, Font::mono, look.theme.secondary);
          right -= look.px(16);
        }
        float x = low.x + look.px(14);
        if (!c.kind.empty()) {
          look.figures.text(list, {x, y(kSmall)}, c.kind, kSmall, Font::words, look.theme.faint);
          x += look.figures.width(c.kind, kSmall, Font::words) * look.scale + look.px(10);
        }
        look.figures.text(list, {x, y(kBody)}, c.shown, kBody, Font::words, c.enabled ? look.theme.text : look.theme.faint,
                          std::max(look.px(20), right - x));
        ImGui::PopID();
      }
    moved_ = false;
  }
  ImGui::EndChild();
  ImGui::PopStyleVar(2);
  if (chosen >= 0) selected_ = chosen;
  if (chosen >= 0 || ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false)) {
    if (selected_ < static_cast<std::ptrdiff_t>(found_.size())) {
      const Command command = commands_[found_[static_cast<std::size_t>(selected_)]];
      if (command.enabled) {
        open_ = false;
        command.run();
      }
    }
  }
}

void Palette::draw(const Look& look, const std::function<std::vector<Command>()>& offer) {
  if (wanted_) {
    wanted_ = false;
    if (!open_) {
      open_ = appearing_ = true;
      query_.clear();
      early_.clear();
      typing_ = false;
      commands_ = offer();
      search();
      ImGui::OpenPopup("palette");
    }
  }
  if (!open_) return;
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const float width = std::min(look.px(kPaletteWidth), screen.x - look.px(32));
  ImGui::SetNextWindowPos({std::round((screen.x - width) / 2), std::round(std::min(look.px(96), screen.y * 0.1f))});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(12), look.px(12)));
  const bool shown = ImGui::BeginPopup("palette", ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
  if (!shown) {  // closed by a click outside
    open_ = false;
    commands_.clear();
    return;
  }
  ImGui::PushFont(look.fonts.words, kToken * look.scale * look.fonts.words_em);
  ImGui::SetNextItemWidth(-1);
  if (appearing_) ImGui::SetKeyboardFocusHere();
  appearing_ = false;
  // The field gets the keyboard focus only one frame later and drops what is typed in that frame; so the letters are collected
  // here.
  if (!typing_)
    for (const ImWchar c : ImGui::GetIO().InputQueueCharacters)
      if (c >= ' ') text::append_utf8(early_, c);
  text_input("##query", query_, tr("what do you want to do?"), ImGuiInputTextFlags_NoUndoRedo);
  if (!typing_ && ImGui::IsItemActive()) {
    typing_ = true;
    query_ = std::exchange(early_, {});
    reload_text_input(ImGui::GetItemID());
  }
  ImGui::PopFont();
  if (query_ != searched_) search();
  const auto last = static_cast<std::ptrdiff_t>(found_.size()) - 1;
  const auto move = [&](ImGuiKey key, std::ptrdiff_t by) {
    if (!ImGui::IsKeyPressed(key) || last < 0) return;
    selected_ = by == 1 && selected_ == last ? 0
                : by == -1 && selected_ == 0 ? last
                                             : std::clamp<std::ptrdiff_t>(selected_ + by, 0, last);
    moved_ = true;
  };
  move(ImGuiKey_DownArrow, 1);
  move(ImGuiKey_UpArrow, -1);
  move(ImGuiKey_PageDown, 10);
  move(ImGuiKey_PageUp, -10);
  if (found_.empty()) words(look, tr("nothing matches"), look.theme.secondary, kBody);
  const float rows = std::min(kMostRows, static_cast<float>(found_.size()));
  const float room = screen.y - ImGui::GetCursorScreenPos().y - look.px(64);
  if (!found_.empty()) draw_list(look, std::clamp(rows * look.px(kRow), look.px(kRow), std::max(look.px(kRow), room)));
  if (selected_ >= 0 && selected_ <= last) {
    const Command& c = commands_[found_[static_cast<std::size_t>(selected_)]];
    words(look, c.enabled ? c.why : tr("not possible just now"), look.theme.secondary);
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) open_ = false;
  if (!open_) {
    ImGui::CloseCurrentPopup();
    commands_.clear();
    found_.clear();
  }
  ImGui::EndPopup();
}

}  // namespace headlight::window
