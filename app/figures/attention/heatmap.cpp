// The heatmap of one matrix: coloured cells, numbers in large cells, a legend with the range in words.
#include <algorithm>
#include <cmath>
#include <span>

#include "app/figures/attention/layouts.h"
#include "app/figures/attention/matrix_frame.h"
#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

// The numbers in the shown part of the matrix, row by row.
struct Numbers {
  const float* values;
  Tensor written;            // f32 or f64
  const std::uint8_t* mask;  // null: nothing masked
  std::int64_t stride, from;
  std::int64_t at(std::int64_t r, std::int64_t c) const { return from + r * stride + c; }
  bool masked(std::int64_t r, std::int64_t c) const { return mask && mask[at(r, c)] == 0; }
  double number(std::int64_t r, std::int64_t c) const {
    const std::int64_t i = at(r, c);
    return written.dtype() == DType::f64 ? written.data<double>()[i] : static_cast<double>(written.data<float>()[i]);
  }
};

// How the numbers of all visible cells are written: in all cells or in none, so that a missing number never looks like a value.
struct NumberStyle {
  float size = 0;  // 0: they do not fit
  int decimals = 2;
};
NumberStyle number_style(const Numbers& numbers, const MatrixFrame& frame, bool small, const TextMeasure& measure) {
  constexpr NumberStyle kStyles[] = {{15, 2}, {13, 2}, {12, 2}, {13, 1}, {12, 1}, {12, 0}};
  constexpr NumberStyle kSmall[] = {{15, 2}, {13, 2}, {12, 2}, {10, 2}, {8, 2}, {7, 2}, {8, 1}, {7, 1}, {6, 1}, {6, 0}};
  for (const NumberStyle& style : small ? std::span<const NumberStyle>(kSmall) : kStyles) {
    if (style.size == 15 && frame.cell_w < 56) continue;
    if (small && measure.line_height(style.size, Font::mono) > frame.cell_h) continue;
    // All digits of the monospaced font have one width, so the longest text is the widest.
    std::string longest;
    for (std::int64_t r = 0; r < frame.rows.count; ++r)
      for (std::int64_t c = 0; c < frame.columns.count; ++c) {
        if (numbers.masked(r, c)) continue;
        const std::string number = cell_number(numbers.number(r, c), style.decimals);
        if (number.size() > longest.size()) longest = number;
      }
    if (measure.width(longest, style.size, Font::mono) <= frame.cell_w - (small ? 2 : 4)) return style;
  }
  return {0, 0};
}

constexpr float kLeastNumberedCell = 40, kWideToHigh = 1.9f;  // a narrower cell has no room for a number
constexpr std::int64_t kMostSmall = 20000;                    // of cells with small numbers

void add_numbers(Figure& figure, const Cells& cells, const HeatmapInput& input, const MatrixFrame& frame, const Theme& theme,
                 const TextMeasure& measure) {
  const Tensor& written = input.numbers;
  const bool small = input.small_numbers;
  const Colormap* map = colormaps().find(cells.colormap);
  const float least_wide = std::min(kLeastNumberedCell, kWideToHigh * input.least_number);
  if (!map || (!small && (frame.cell_w < least_wide || frame.cell_h < input.least_number))) return;
  if (small && cells.rows * cells.columns > kMostSmall) {
    figure.remarks.emplace_back(tr("there are too many cells for their numbers, so none is written"));
    return;
  }
  const Tensor shown = written.empty()                 ? cells.values
                       : written.dtype() == DType::f64 ? written.compact()
                                                       : written.as(DType::f32).compact();
  const std::int64_t stride = cells.values.dim(1);
  const Numbers numbers{cells.values.data<float>(), shown, cells.mask.empty() ? nullptr : cells.mask.data<std::uint8_t>(), stride,
                        cells.from_row * stride + cells.from_column};
  const NumberStyle style = number_style(numbers, frame, small, measure);
  if (style.size <= 0) {
    if (small) figure.remarks.emplace_back(tr("the numbers do not fit into the cells, so none is written"));
    return;
  }
  const float range = cells.high > cells.low ? cells.high - cells.low : 1;
  for (std::int64_t r = 0; r < cells.rows; ++r) {
    for (std::int64_t c = 0; c < cells.columns; ++c) {
      if (numbers.masked(r, c)) continue;
      const Box cell = frame.cell(r, c);
      Text t;
      t.text = cell_number(numbers.number(r, c), style.decimals);
      t.at = {cell.x + cell.w / 2, cell.y + cell.h / 2};
      t.size = style.size;
      t.font = Font::mono;
      const float value = numbers.values[numbers.at(r, c)];
      t.color = ink_on(std::isfinite(value) ? map->at((value - cells.low) / range, theme) : color_of(non_finite(value)));
      t.horizontal = Align::middle;
      t.tag.part = Part::number;
      figure.add(std::move(t));
    }
  }
}

constexpr float kLeastMarked = 12;  // a smaller cell has no room for a mark
constexpr std::int64_t kMostMarked = 64 * 64;

// Marks the corner of each cell with the hue of the head that its value comes from.
void add_marks(Figure& figure, const HeatmapInput& input, const Cells& cells, const MatrixFrame& frame, const Theme& theme) {
  if (input.strongest.empty() || std::min(frame.cell_w, frame.cell_h) < kLeastMarked || cells.rows * cells.columns > kMostMarked)
    return;
  const auto hues = static_cast<int>(theme.hues.size());
  const float side = std::clamp(frame.cell_w / 5, 4.0f, 12.0f);
  for (std::int64_t r = 0; r < cells.rows; ++r)
    for (std::int64_t c = 0; c < cells.columns; ++c) {
      const std::int64_t at = (cells.from_row + r) * cells.values.dim(1) + cells.from_column + c;
      if (!cells.mask.empty() && !cells.mask.data<std::uint8_t>()[at]) continue;
      const auto head = static_cast<std::size_t>(input.strongest.data<std::int32_t>()[at]);
      if (head >= input.heads.size()) continue;
      const Box cell = frame.cell(r, c);
      Polygon corner;
      corner.points = {{cell.x, cell.y}, {cell.x + side, cell.y}, {cell.x, cell.y + side}};
      corner.fill = theme.hues[static_cast<std::size_t>(((input.heads[head].hue % hues) + hues) % hues)];
      figure.add(std::move(corner));
    }
}

}  // namespace

Legend legend_of(const HeatmapInput& input) {
  Legend legend;
  legend.colormap = input.colormap;
  legend.low = input.low;
  legend.high = input.high;
  legend.low_words = input.low_words;
  legend.high_words = input.high_words;
  legend.range_words = input.range_words;
  set_special_cells(legend, input, [&](NonFiniteCount& count) { count.add(input.values, input.mask); });
  for (const auto& head : input.heads) legend.heads.push_back({head.name, head.hue});
  legend.notes = {input.note};
  legend.origin = input.note;
  return legend;
}

Figure heatmap(const HeatmapInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, box_width, box_height, theme);
  if (input.values.empty() || input.values.rank() != 2 || input.values.dim(0) < 1 || input.values.dim(1) < 1) return figure;

  Legend legend = input.legend ? legend_of(input) : Legend();
  const MatrixFrame frame = frame_matrix(input, input.values.dim(0), input.values.dim(1), legend, box_width, box_height, measure);

  Cells cells;
  set_window(cells, frame, input.values, input.mask);
  cells.colormap = input.colormap;
  cells.low = input.low;
  cells.high = input.high;
  cells.key = input.key;
  cells.reduction = input.reduction;

  add_title(figure, input, theme);
  add_cells(figure, cells, theme);
  add_marks(figure, input, cells, frame, theme);
  add_numbers(figure, cells, input, frame, theme, measure);
  add_frame(figure, input, frame, legend, box_width, box_height, theme, measure);
  figure.data.push_back(matrix_data(input, input.numbers.empty() ? input.values : input.numbers));
  if (!input.mask.empty()) {  // masked cells hold no value, so the mask is part of the data
    figure.data.push_back(matrix_data(input, input.mask));
    figure.data.back().name = "mask";
  }
  return figure;
}

}  // namespace headlight::figures
