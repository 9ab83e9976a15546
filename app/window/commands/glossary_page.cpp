// The page of all terms.
#include "app/window/commands/glossary_page.h"

#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/gl/term_marks.h"
#include "app/text/glossary.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/window/shell/shell.h"
#include "engine/core/sorting.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;

constexpr float kWidest = 760, kTerm = 190, kLeastBeside = 520;  // points; a narrower page has meanings below their terms
constexpr float kBeforeBar = 16;                                 // between the meanings and the scroll bar, in points

bool has(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool fits(const Glossary::Entry& entry, const std::string& sought) {
  return has(entry.meaning, sought) ||
         std::any_of(entry.forms.begin(), entry.forms.end(), [&](const std::string& form) { return has(form, sought); });
}

// The meaning in lines of `room` pixels.
std::string meaning_in(const Look& look, const Glossary::Entry& entry, float room) {
  std::string lines;
  for (const std::string& line : figures::wrap(entry.meaning, room / look.scale, 14, Font::words, look.figures))
    lines += (lines.empty() ? "" : "\n") + line;
  return lines;
}

}  // namespace

void draw_glossary(Shell& shell, const Look& look) {
  static constexpr const char* kId = "glossary page";
  auto& page = shell.ui.glossary;
  if (page.open && !ImGui::IsPopupOpen(kId)) {
    if (page.shown) {  // closed by a click outside
      page.open = page.shown = false;
      return;
    }
    page.sought.clear();
    ImGui::OpenPopup(kId);
  }
  const bool fresh = page.open && !page.shown;
  page.shown = page.open;
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const float width = std::min(look.px(kWidest), screen.x - look.px(32));
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({width, screen.y - look.px(48)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(24), look.px(20)));
  const bool open = ImGui::BeginPopup(kId, ImGuiWindowFlags_NoMove);
  ImGui::PopStyleVar();
  if (!open) return;
  const ImVec2 start = ImGui::GetCursorScreenPos(), corner = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  shell.parts.add("glossary", corner.x, corner.y, corner.x + size.x, corner.y + size.y);
  look.figures.text(*ImGui::GetWindowDrawList(), start, tr("Glossary"), kTitle, Font::words_bold, look.theme.text);
  ImGui::Dummy({1, look.px(40)});
  if (fresh) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  live_text_input("##term", page.sought, tr("find a term"));
  // Escape in the field would only end the typing.
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) page.open = false;
  ImGui::Dummy({1, look.px(8)});
  if (ImGui::BeginChild("terms", {0, 0}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground)) {
    const float room = ImGui::GetContentRegionAvail().x - look.px(kBeforeBar);
    const bool beside = room >= look.px(kLeastBeside);
    std::vector<const Glossary::Entry*> shown;
    for (const Glossary::Entry& entry : glossary().entries())
      if (page.sought.empty() || fits(entry, page.sought)) shown.push_back(&entry);
    // In the order of the alphabet; what begins with a capital letter is no exception.
    sort_stably(shown, [](const Glossary::Entry* a, const Glossary::Entry* b) {
      return std::lexicographical_compare(
          a->forms[0].begin(), a->forms[0].end(), b->forms[0].begin(), b->forms[0].end(), [](char x, char y) {
            return std::tolower(static_cast<unsigned char>(x)) < std::tolower(static_cast<unsigned char>(y));
          });
    });
    for (const Glossary::Entry* entry : shown) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      look.figures.text(*ImGui::GetWindowDrawList(), at, entry->forms[0], 14, Font::words_bold, look.theme.text,
                        beside ? look.px(kTerm - 12) : room);
      if (beside)
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + look.px(kTerm));
      else
        ImGui::Dummy({1, look.px(20)});
      words(look, meaning_in(look, *entry, beside ? room - look.px(kTerm) : room), look.theme.secondary, 14);
      shell.parts.add("glossary:" + entry->forms[0], at.x, at.y, at.x + room, ImGui::GetItemRectMax().y);
      ImGui::Dummy({1, look.px(6)});
    }
    if (shown.empty()) words(look, tr("no such term"), look.theme.secondary, 14);
  }
  ImGui::EndChild();
  if (!page.open) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace headlight::window
