#include "app/views/base/heading.h"

#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::views {

void draw_heading(const ui::Look& look, const std::string& words, const std::string& quiet, float width) {
  using figures::Font;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = look.figures.line_height(ui::kHeading, Font::words_bold),
              small = look.figures.line_height(ui::kSmall, Font::words),
              left = look.figures.width(words, ui::kHeading, Font::words_bold) + 12;
  look.figures.text(list, at, words, ui::kHeading, Font::words_bold, look.theme.text, look.px(width));
  if (!quiet.empty() && left + look.figures.width(quiet, ui::kSmall, Font::words) < width)
    look.figures.text(list, {at.x + look.px(left), at.y + look.px(line - small - 2)}, quiet, ui::kSmall, Font::words,
                      look.theme.secondary);
  ImGui::Dummy({look.px(width), look.px(line + 2)});
}

}  // namespace headlight::views
