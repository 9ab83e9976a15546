// The column beside the large picture in presentation mode: the head's name, and the hovered or pinned cell as one number that is
// readable from a distance. The controls are hidden; palette and keys replace them.
#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/heads/pictures.h"

namespace headlight::views::heads {
namespace {

using figures::Font;

constexpr float kNumber = 44, kSmallNumber = 28;

}  // namespace

figures::Figure caption_figure(const CaptionInput& input, float width, const figures::Theme& theme,
                               const figures::TextMeasure& measure) {
  figures::Figure figure;
  figure.width = width;
  const figures::Composer pen{figure, theme, measure};
  float y = 0;
  const auto lines = [&](const std::string& words, float size, Font font, figures::Color color) {
    const float high = measure.line_height(size, font) + 2;
    for (const std::string& one : figures::wrap(words, width, size, font, measure)) {
      pen.text(0, y + high / 2, one, size, font, color, figures::Align::start, width + 1);
      y += high;
    }
  };
  if (!input.title.empty()) lines(input.title, ui::kHeading, Font::words_bold, theme.text);
  if (!input.shared.empty()) lines(input.shared, ui::kSmall, Font::words, theme.secondary);
  const float top = y;
  if (!input.cell.empty()) {
    lines(input.cell, ui::kHeading, Font::words, theme.selected);
    const bool fits = !input.low && measure.width(input.number, kNumber, Font::mono) <= width;
    if (!input.number.empty()) lines(input.number, fits ? kNumber : kSmallNumber, Font::mono, theme.text);
  } else {
    lines(input.what, ui::kSmall, Font::words, theme.secondary);
    if (input.cells) lines(tr("point at a cell"), ui::kSmall, Font::words, theme.faint);
  }
  // Room for the number is reserved, so that nothing below it moves while the mouse moves over the cells.
  if (input.cells)
    y = std::max(y, top + 2 * measure.line_height(ui::kHeading, Font::words) +
                        measure.line_height(input.low ? kSmallNumber : kNumber, Font::mono) + 6);
  figure.height = y + 8;
  return figure;
}

}  // namespace headlight::views::heads
