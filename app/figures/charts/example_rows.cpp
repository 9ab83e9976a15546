#include "app/figures/charts/example_rows.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"

namespace headlight::figures {
namespace {

constexpr float kHigh = 30, kExampleRowsGap = 8, kLeast = 15, kMost = 44, kText = 15;

}  // namespace

Figure example_rows(const ExampleRowsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  std::size_t longest = 1;
  float widest = 0;
  for (const auto& row : input.rows) {
    longest = std::max(longest, row.size());
    for (const auto& symbol : row) widest = std::max(widest, measure.width(symbol.text, kText, Font::mono));
  }
  const float least = std::max(kLeast, std::min(kMost, widest + 6)),
              pitch = std::clamp(width / static_cast<float>(longest), least, kMost);
  const auto fits = std::max<std::size_t>(1, static_cast<std::size_t>(width / pitch));
  float y = 0;
  for (const auto& row : input.rows) {
    const bool cut = row.size() > fits;
    const std::size_t shown = cut ? fits - 1 : row.size();
    for (std::size_t i = 0; i < shown; ++i) {
      const ExampleRowsInput::Symbol& symbol = row[i];
      const float x = static_cast<float>(i) * pitch;
      const Color hue = theme.hues[static_cast<std::size_t>(symbol.hue) % theme.hues.size()];
      pen.box({x + 1, y, pitch - 2, kHigh}, with_alpha(hue, symbol.asked ? 0.30f : 0.08f),
              with_alpha(hue, symbol.asked ? 1.0f : 0.35f), symbol.asked ? 1.5f : 1.0f, 5);
      pen.text(x + pitch / 2, y + kHigh / 2, symbol.text, kText, Font::mono, symbol.asked ? theme.text : theme.secondary,
               Align::middle, pitch - 2);
    }
    if (cut)
      pen.text(static_cast<float>(shown) * pitch + 4, y + kHigh / 2, "…", kText, Font::mono, theme.secondary, Align::start);
    y += kHigh + kExampleRowsGap;
  }
  figure.width = width;
  figure.height = std::max(1.0f, y - kExampleRowsGap);
  return figure;
}

}  // namespace headlight::figures
