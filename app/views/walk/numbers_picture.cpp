#include "app/views/walk/numbers_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"

namespace headlight::figures {
namespace {

constexpr float kNumbersLabel = 15, kNumbersNumber = 14, kLeastNumber = 13, kNumbersSmall = 13, kMargin = 8;

std::string shown_number(double value) {
  char text[32];
  const double size = std::abs(value);
  std::snprintf(text, sizeof text,
                size != 0 && (size >= 1e4 || size < 5e-4) ? "%.0e"
                : size >= 100                             ? "%.0f"
                : size >= 10                              ? "%.1f"
                                                          : "%.2f",
                value);
  return text;
}

}  // namespace

std::optional<Figure> walk_numbers(const HeatmapInput& input, float box_width, float box_height, const Theme& theme,
                                   const TextMeasure& measure) {
  if (input.values.empty() || input.values.rank() != 2) return std::nullopt;
  Figure figure;
  const Composer pen{figure, theme, measure};
  const std::int64_t first_row = input.row_count > 0 ? input.first_row : 0,
                     first_column = input.column_count > 0 ? input.first_column : 0;
  const std::int64_t rows = input.row_count > 0 ? input.row_count : input.values.dim(0),
                     columns = input.column_count > 0 ? input.column_count : input.values.dim(1);
  const float row_size = input.row_labels.empty() ? kNumbersSmall : kNumbersLabel;
  const float column_size = input.column_labels.empty() ? kNumbersSmall : kNumbersLabel;
  if (rows < 1 || columns < 1 || rows * columns > 1500) return std::nullopt;

  const auto label = [](const std::vector<std::string>& labels, std::int64_t i) {
    return i < static_cast<std::int64_t>(labels.size()) ? labels[static_cast<std::size_t>(i)] : std::to_string(i);
  };
  float row_room = 0, need = 0;  // of the rows' labels, and the widest of the columns'
  for (std::int64_t i = 0; i < rows; ++i)
    row_room = std::max(row_room, measure.width(label(input.row_labels, first_row + i), row_size, Font::mono));
  for (std::int64_t j = 0; j < columns; ++j)
    need = std::max(need, measure.width(label(input.column_labels, first_column + j), column_size, Font::mono));
  std::vector<std::string> numbers;  // of each cell; empty: masked
  numbers.reserve(static_cast<std::size_t>(rows * columns));
  float widest = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const bool hidden = !input.mask.empty() && input.mask.at({first_row + i, first_column + j}) == 0;
      numbers.push_back(hidden ? std::string() : shown_number(input.values.at({first_row + i, first_column + j})));
      widest = std::max(widest, measure.width(numbers.back(), kLeastNumber, Font::mono));
    }

  const float title = input.title.empty() ? 0 : measure.line_height(18, Font::words_bold) + 8;
  const float line = measure.line_height(kNumbersSmall, Font::words), label_line = measure.line_height(column_size, Font::mono);
  const float left = kMargin + row_room + 8, top = kMargin + title;
  // Below: the axes in words, then range and note.
  const float below = 6 + 2 * line + 4 + kMargin;
  const float head = label_line + 5;
  const float least_w = std::max(widest + 10, need + 8), least_h = measure.line_height(kLeastNumber, Font::mono) + 3;
  // A matrix of many columns and few rows is broken into bands below each other.
  const auto in_a_row = static_cast<std::int64_t>((box_width - left - kMargin) / least_w);
  if (in_a_row < std::min<std::int64_t>(columns, 4)) return std::nullopt;  // the cells would be too small
  const std::int64_t bands = (columns + in_a_row - 1) / in_a_row, wide = (columns + bands - 1) / bands;
  const auto band_count = static_cast<float>(bands);
  const float room_w = (box_width - left - kMargin) / static_cast<float>(wide);
  const float room_h = ((box_height - top - below - 10 * (band_count - 1)) / band_count - head) / static_cast<float>(rows);
  if (room_w < least_w || room_h < least_h) return std::nullopt;
  const float w = std::floor(std::min(room_w, std::max(least_w, 66.0f))), h = std::floor(std::min(room_h, 44.0f));
  const bool large = h >= measure.line_height(kNumbersNumber, Font::mono) + 6 && w >= widest * kNumbersNumber / kLeastNumber + 10;
  const float number_size = large ? kNumbersNumber : kLeastNumber;
  const float band_high = head + static_cast<float>(rows) * h + 10;
  figure.background = theme.background;
  figure.title = input.title;
  if (title > 0) pen.text(kMargin, kMargin + title / 2 - 4, input.title, 18, Font::words_bold, theme.text);

  const auto cell = [&](std::int64_t i, std::int64_t j) {
    const std::int64_t band = j / wide;
    return Box{left + static_cast<float>(j % wide) * w,
               top + static_cast<float>(band) * band_high + head + static_cast<float>(i) * h, w, h};
  };
  for (std::int64_t band = 0; band < bands; ++band) {
    const std::int64_t begin = band * wide, end = std::min(columns, begin + wide);
    const bool whole = rows == input.values.dim(0) && begin == 0 && end == input.values.dim(1);
    const auto part = [&](const Tensor& t) {
      return whole || t.empty()
                 ? t
                 : t.slice(0, first_row, first_row + rows).slice(1, first_column + begin, first_column + end).compact();
    };
    Cells cells;
    cells.box = cell(0, begin);
    cells.box.w = w * static_cast<float>(end - begin);
    cells.box.h = h * static_cast<float>(rows);
    cells.rows = rows;
    cells.columns = end - begin;
    cells.values = part(input.values);
    cells.mask = part(input.mask);
    cells.colormap = input.colormap;
    cells.low = input.low;
    cells.high = input.high;
    // Another window into the same matrix is another texture.
    cells.key =
        whole ? input.key
              : input.key ^ (static_cast<std::uint64_t>(first_row * 1000003 + first_column + begin) * 0x9e3779b97f4a7c15ull +
                             static_cast<std::uint64_t>(rows * 8191 + cells.columns));
    cells.tag = {Tag::cell_area, first_row, first_column + begin};
    figure.add(std::move(cells));
  }

  const Colormap* map = colormaps().find(input.colormap);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::string& text = numbers[static_cast<std::size_t>(i * columns + j)];
      if (text.empty()) continue;
      const float value = static_cast<float>(input.values.at({first_row + i, first_column + j}));
      const float t = input.high > input.low ? std::clamp((value - input.low) / (input.high - input.low), 0.0f, 1.0f) : 0;
      const Box place = cell(i, j);
      pen.text(place.x + w / 2, place.y + h / 2, text, number_size, Font::mono, map ? ink_on(map->at(t, theme)) : theme.text,
               Align::middle);
    }

  for (std::int64_t band = 0; band < bands; ++band)
    for (std::int64_t i = 0; i < rows; ++i) {
      Text text;
      text.text = label(input.row_labels, first_row + i);
      text.at = {left - 8, cell(i, band * wide).y + h / 2};
      text.size = row_size;
      text.font = Font::mono;
      text.horizontal = Align::end;
      text.color = input.hot_row == first_row + i ? theme.selected : input.row_labels.empty() ? theme.faint : theme.text;
      text.tag = {Tag::row, first_row + i, 0};
      figure.add(std::move(text));
    }
  for (std::int64_t j = 0; j < columns; ++j) {
    Text text;
    text.text = label(input.column_labels, first_column + j);
    text.at = {cell(0, j).x + w / 2, cell(0, j).y - 4 - label_line / 2};
    text.size = column_size;
    text.font = Font::mono;
    text.horizontal = Align::middle;
    text.color = input.hot_column == first_column + j ? theme.selected : input.column_labels.empty() ? theme.faint : theme.text;
    text.tag = {Tag::column, first_column + j, 0};
    figure.add(std::move(text));
  }

  const bool hot_row = input.hot_row >= first_row && input.hot_row < first_row + rows;
  const bool hot_column = input.hot_column >= first_column && input.hot_column < first_column + columns;
  const Color quiet = with_alpha(theme.selected, 0.55f), clear{0, 0, 0, 0};
  if (hot_row)
    for (std::int64_t band = 0; band < bands; ++band) {
      const Box place = cell(input.hot_row - first_row, band * wide);
      pen.box({place.x, place.y, w * static_cast<float>(std::min(wide, columns - band * wide)), h}, clear, quiet, 1);
    }
  if (hot_column) {
    const Box place = cell(0, input.hot_column - first_column);
    pen.box({place.x, place.y, w, h * static_cast<float>(rows)}, clear, quiet, 1);
    if (hot_row) pen.box(cell(input.hot_row - first_row, input.hot_column - first_column), clear, theme.selected, 3);
  }

  // The axes in words, then range and note; and how large the figure is with them.
  float under = top + band_high * static_cast<float>(bands) - 10 + 6 + line / 2;
  const std::string axes = "↓ " + input.row_axis + "   → " + input.column_axis;
  std::string said = input.range_words;
  if (!input.note.empty()) said += (said.empty() ? "" : "; ") + input.note;
  pen.text(left, under, axes, kNumbersSmall, Font::words, theme.secondary, Align::start, box_width - left - kMargin);
  under += line + 2;
  pen.text(left, under, said, kNumbersSmall, Font::words, theme.secondary, Align::start, box_width - left - kMargin);
  const float words = std::max(measure.width(axes, kNumbersSmall, Font::words), measure.width(said, kNumbersSmall, Font::words));
  figure.width = std::min(box_width, std::max(left + std::max(w * static_cast<float>(wide), words),
                                              kMargin + measure.width(input.title, 18, Font::words_bold)) +
                                         kMargin);
  figure.height = std::min(box_height, under + line / 2 + kMargin);

  Data data;
  data.name = input.title.empty() ? "values" : input.title;
  data.values = input.values;
  data.axes = {input.row_axis, input.column_axis};
  data.labels = {input.row_labels, input.column_labels};
  figure.data.push_back(std::move(data));
  return figure;
}

}  // namespace headlight::figures
