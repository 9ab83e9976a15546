// The column beside the large picture in presentation mode: the head's name, and the hovered or pinned cell as one number that is
// readable from a distance. The controls are hidden; palette and keys replace them.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/panels/heads/heads_tab.h"
#include "app/panels/heads/query_names.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "engine/attention/scores/score.h"
#include "engine/core/one_nan.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kNumber = 44, kSmallNumber = 28;

// "0.517", "-14.2"; masked cells say so.
std::string read_out(const PanePicture& picture, std::int64_t row, std::int64_t column) {
  if (row < 0 || column < 0 || row >= picture.values.dim(0) || column >= picture.values.dim(1)) return {};
  if (!picture.mask.empty() && picture.mask.at({row, column}) == 0) return tr("masked");
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", one_nan(picture.values.at({row, column})));
  return text;
}

}  // namespace

figures::Figure heads_caption(const Context& context, const AttentionChoice& choice, const Pane& pane, float width, bool titled) {
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
  if (titled) lines(pane.title, ui::kHeading, Font::words_bold, context.theme.text);
  if (titled && pane.kind == Pane::one)
    if (const std::string shared = shared_key_words(*choice.site, pane.heads.front().head); !shared.empty())
      lines(shared, ui::kSmall, Font::words, context.theme.secondary);
  const Role role = role_of(context.view, pane);
  const char* what = role == Role::scores          ? tr(scores::words_of(context.trace->document().score))
                     : role == Role::masked_scores ? tr("scaled score")
                                                   : tr("weight");
  const LitCell lit = lit_of(context, choice);
  const float top = y;
  const bool cells = context.view.heads.picture == "heatmap" || context.view.heads.picture == "dots";
  const auto picture = lit.query >= 0 && lit.key >= 0 ? pane_picture(context, choice, pane) : nullptr;
  if (picture) {
    const bool turned = context.view.transposed;
    const std::string number = read_out(*picture, turned ? lit.key : lit.query, turned ? lit.query : lit.key);
    const char* const said = names_written(context, choice) ? tr("to write {0} it looks at {1}") : tr("{0} looks at {1}");
    lines(fill(said, {query_names(context, choice)[static_cast<std::size_t>(lit.query)],
                      column_labels(context, choice)[static_cast<std::size_t>(lit.key)]}),
          ui::kHeading, Font::words, context.theme.selected);
    const bool fits = context.measure.width(number, kNumber, Font::mono) <= width;
    if (!number.empty()) lines(number, fits ? kNumber : kSmallNumber, Font::mono, context.theme.text);
  } else {
    lines(what, ui::kSmall, Font::words, context.theme.secondary);
    if (cells) lines(tr("point at a cell"), ui::kSmall, Font::words, context.theme.faint);
  }
  // Room for the number is reserved, so that nothing below it moves while the mouse moves over the cells.
  if (cells)
    y = std::max(y, top + 2 * context.measure.line_height(ui::kHeading, Font::words) +
                        context.measure.line_height(kNumber, Font::mono) + 6);
  figure.height = y + 8;
  return figure;
}

}  // namespace headlight::panels
