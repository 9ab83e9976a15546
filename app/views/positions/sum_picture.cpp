#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/views/positions/pictures.h"

namespace headlight::figures {
namespace {

constexpr float kSumCell = 50, kSumHigh = 28, kSumSign = 26, kSumType = 14, kSumNameGap = 8;

float sum_name_width(const NumberSumInput::Part& part, const TextMeasure& measure) {
  return std::ceil(measure.width(part.name, kSumType, Font::words)) + kSumNameGap;
}

// The width of part `p` with this many numbers. In a line its name stands before them; above them it may reach over the sign.
float sum_part_width(const NumberSumInput& input, std::size_t p, std::size_t numbers, bool line, const TextMeasure& measure) {
  const float name = sum_name_width(input.parts[p], measure), cells = kSumCell * static_cast<float>(numbers);
  if (line) return name + cells;
  return std::max(cells, p + 1 == input.parts.size() ? name : name - kSumSign);
}
float number_sum_width(const NumberSumInput& input, std::size_t numbers, bool line, const TextMeasure& measure) {
  float wide = kSumSign * static_cast<float>(input.parts.size() - 1);
  for (std::size_t p = 0; p < input.parts.size(); ++p) wide += sum_part_width(input, p, numbers, line, measure);
  return wide;
}

}  // namespace

float number_sum_line(const NumberSumInput& input, const TextMeasure& measure) {
  return number_sum_width(input, 1, true, measure);
}

Figure number_sum(const NumberSumInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  const bool line = height < kNumberSum - 1;
  Figure figure;
  figure.height = line ? kNumberSumLine : kNumberSum;
  const Composer pen{figure, theme, measure};
  std::size_t numbers = 0;
  double largest = 1e-9;
  for (const NumberSumInput::Part& part : input.parts) {
    numbers = std::max(numbers, part.numbers.size());
    for (const double x : part.numbers)
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  if (input.parts.size() < 2 || numbers == 0) return figure;
  while (numbers > 1 && number_sum_width(input, numbers, line, measure) > width) --numbers;
  const float y = line ? 1 : 24;
  const Colormap* const map = colormaps().find("signed");
  float x = 0;
  for (std::size_t p = 0; p < input.parts.size(); ++p) {
    const NumberSumInput::Part& part = input.parts[p];
    const bool sum = p + 1 == input.parts.size();
    if (p > 0) {
      pen.text(x + kSumSign / 2, y + kSumHigh / 2, sum ? "=" : "+", 18, Font::mono, theme.text, Align::middle);
      x += kSumSign;
    }
    const float before = line ? sum_name_width(part, measure) : 0, wide = sum_part_width(input, p, numbers, line, measure);
    const float room = sum ? width - x : line ? before : wide + kSumSign - 6;
    pen.text(x, line ? y + kSumHigh / 2 : 11, part.name, kSumType, Font::words, sum ? theme.selected : theme.text, Align::start,
             std::max(kSumCell, room));
    for (std::size_t i = 0; i < std::min(numbers, part.numbers.size()); ++i) {
      const double value = part.numbers[i];
      const Box cell{x + before + kSumCell * static_cast<float>(i) + 1, y, kSumCell - 2, kSumHigh};
      const Color fill = map->at(static_cast<float>(0.5 + 0.5 * (std::isfinite(value) ? value / largest : 0)), theme);
      pen.box(cell, fill, theme.line, 1, 3);
      pen.text(cell.x + cell.w / 2, y + kSumHigh / 2, cell_number(value), kSumType, Font::mono, ink_on(fill), Align::middle, 0,
               {Tag::none, 0, 0, Part::number});
    }
    x += wide;
    figure.data.push_back(
        {part.name, Tensor::of(part.numbers, {static_cast<std::int64_t>(part.numbers.size())}), {"number"}, {}});
  }
  if (!input.rest.empty() && x + 12 + measure.width(input.rest, kSumType, Font::words) <= width) {
    pen.text(x + 12, y + kSumHigh / 2, input.rest, kSumType, Font::words, theme.secondary);
    x += 12 + measure.width(input.rest, kSumType, Font::words);
  }
  figure.width = x;
  return figure;
}

}  // namespace headlight::figures
