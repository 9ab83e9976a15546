// Presentation mode's column beside the large picture of the Heads tab: which head it is, and the cell that is pointed at or
// pinned as one number that is read from the back of the room. The controls are away; the palette and the keys have them.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/compose.h"
#include "app/panels/heads_tab.h"
#include "app/text/language.h"
#include "app/window/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kNumber = 28;

// "0.517", "-14.2"; masked cells are said to be so.
std::string read_out(const PanePicture& picture, std::int64_t row, std::int64_t column) {
  if (row < 0 || column < 0 || row >= picture.values.dim(0) || column >= picture.values.dim(1)) return {};
  if (!picture.mask.empty() && picture.mask.at({row, column}) == 0) return tr("masked");
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", picture.values.at({row, column}));
  return text;
}

}  // namespace

figures::Figure heads_caption(const Context& context, const AttentionChoice& choice, const Pane& pane, float width) {
  figures::Figure figure;
  figure.width = width;
  const figures::Composer pen{figure, context.theme, context.measure};
  float y = 0;
  const auto lines = [&](const std::string& words, float size, Font font, figures::Color color) {
    const float high = context.measure.line_height(size, font) + 2;
    for (const std::string& one : figures::wrap(words, width, size, font, context.measure)) {
      pen.text(0, y + high / 2, one, size, font, color, figures::Align::start, width + 1);
      y += high;
    }
  };
  lines(pane.title, window::kHeading, Font::words_bold, context.theme.text);
  const std::string step = step_of(context.view, pane);
  lines(step == "scores"          ? tr("score q·k")
        : step == "masked_scores" ? tr("scaled score")
                                  : tr("weight"),
        window::kSmall, Font::words, context.theme.secondary);
  const Lit lit = lit_of(context, choice);
  // The number's room is kept, so that nothing below it moves while the mouse goes over the cells.
  y += 4;
  const float number_top = y, number_high = context.measure.line_height(window::kToken, Font::mono) +
                                            context.measure.line_height(kNumber, Font::mono) + 4;
  if (lit.query >= 0 && lit.key >= 0) {
    if (const auto picture = pane_picture(context, choice, pane)) {
      const bool turned = context.view.transposed;
      const std::string number = read_out(*picture, turned ? lit.key : lit.query, turned ? lit.query : lit.key);
      lines(row_labels(context, choice)[static_cast<std::size_t>(lit.query)] + " → " +
                column_labels(context, choice)[static_cast<std::size_t>(lit.key)],
            window::kToken, Font::mono, context.theme.selected);
      if (!number.empty()) lines(number, kNumber, Font::mono, context.theme.text);
    }
  }
  if (y == number_top) lines(tr("point at a cell: its number stands here"), window::kSmall, Font::words, context.theme.faint);
  figure.height = std::max(y, number_top + number_high) + 8;
  return figure;
}

}  // namespace headlight::panels
