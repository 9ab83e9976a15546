#include "app/figures/charts/number_sum.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"

namespace headlight::figures {
namespace {

constexpr float kSumCell = 50, kSumHigh = 28, kSumSign = 26, kSumName = 14, kSumNumber = 14;

}  // namespace

Figure number_sum(const NumberSumInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.height = kNumberSum;
  const Composer pen{figure, theme, measure};
  const auto parts = static_cast<float>(input.parts.size());
  std::size_t numbers = 0;
  double largest = 1e-9;
  for (const NumberSumInput::Part& part : input.parts) {
    numbers = std::max(numbers, part.numbers.size());
    for (const double x : part.numbers)
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  if (input.parts.size() < 2 || numbers == 0) return figure;
  const float signs = kSumSign * (parts - 1);
  const auto fits = static_cast<std::size_t>(std::max(1.0f, (width - signs) / parts / kSumCell));
  numbers = std::min(numbers, fits);
  const float wide = kSumCell * static_cast<float>(numbers), y = 24;
  const Colormap* const map = colormaps().find("signed");
  float x = 0;
  for (std::size_t p = 0; p < input.parts.size(); ++p) {
    const NumberSumInput::Part& part = input.parts[p];
    if (p > 0) {
      pen.text(x + kSumSign / 2, y + kSumHigh / 2, p + 1 == input.parts.size() ? "=" : "+", 18, Font::mono, theme.text,
               Align::middle);
      x += kSumSign;
    }
    const bool sum = p + 1 == input.parts.size();
    pen.text(x, 11, part.name, kSumName, Font::words, sum ? theme.selected : theme.text, Align::start, wide + kSumSign - 6);
    for (std::size_t i = 0; i < std::min(numbers, part.numbers.size()); ++i) {
      const double value = part.numbers[i];
      const Box cell{x + kSumCell * static_cast<float>(i) + 1, y, kSumCell - 2, kSumHigh};
      const Color fill = map->at(static_cast<float>(0.5 + 0.5 * (std::isfinite(value) ? value / largest : 0)), theme);
      pen.box(cell, fill, theme.line, 1, 3);
      pen.text(cell.x + cell.w / 2, y + kSumHigh / 2, cell_number(value), kSumNumber, Font::mono, ink_on(fill), Align::middle, 0,
               {Tag::none, 0, 0, Part::number});
    }
    x += wide;
    figure.data.push_back(
        {part.name, Tensor::of(part.numbers, {static_cast<std::int64_t>(part.numbers.size())}), {"number"}, {}});
  }
  if (!input.rest.empty() && x + 12 + measure.width(input.rest, kSumName, Font::words) <= width) {
    pen.text(x + 12, y + kSumHigh / 2, input.rest, kSumName, Font::words, theme.secondary);
    x += 12 + measure.width(input.rest, kSumName, Font::words);
  }
  figure.width = x;
  return figure;
}

}  // namespace headlight::figures
