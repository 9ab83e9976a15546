#include "app/views/base/titles.h"

#include <utility>

#include "app/figures/base/compose.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::views {

using figures::Font;
using sheet::kAny;
using sheet::Span;

sheet::Node heading(Sheet& sheet, const std::string& id, std::string title, std::vector<std::string> remarks) {
  constexpr float kBefore = 12;
  const figures::TextMeasure& measure = sheet.scene.pen.measure;
  const float line = measure.line_height(ui::kHeading, Font::words_bold), small = measure.line_height(ui::kSmall, Font::words);
  const auto lines = [title = std::move(title), &measure](float width) {
    return figures::wrap(title, width, ui::kHeading, Font::words_bold, measure);
  };
  sheet::Node node = sheet.by_hand(
      {.id = id,
       .draw =
           [lines, remarks = std::move(remarks), &measure, line, small](const ui::Look& look, Size room) {
             ImDrawList& list = *ImGui::GetWindowDrawList();
             ImVec2 at = ImGui::GetCursorScreenPos();
             float last = 0;
             for (const std::string& one : lines(room.w)) {
               look.figures.text(list, at, one, ui::kHeading, Font::words_bold, look.theme.text, look.px(room.w));
               at.y += look.px(line);
               last = measure.width(one, ui::kHeading, Font::words_bold) + kBefore;
             }
             const std::string quiet = figures::first_that_fits(remarks, room.w - last - 2, ui::kSmall, Font::words, measure);
             look.figures.text(list, {at.x + look.px(last), at.y - look.px(small + 2)}, quiet, ui::kSmall, Font::words,
                               look.theme.secondary);
           }},
      {0, 0, kAny}, 0);
  node.forms[0].high = [lines, line](float width) { return Span(line * static_cast<float>(lines(width).size()) + 2); };
  node.presented = true;
  return node;
}

sheet::Node remark(Sheet& sheet, const std::string& id, std::string text, float size, figures::Color color, int rank) {
  sheet::Node node = sheet.words(id, std::move(text), size, color);
  node.presented = true;
  node.rank = rank;
  return node;
}

}  // namespace headlight::views
