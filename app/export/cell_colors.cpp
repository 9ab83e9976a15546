#include "app/export/cell_colors.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/non_finite.h"

namespace headlight::figures {
namespace {

// The part of a matrix that the cells show.
Tensor shown(const Cells& cells, const Tensor& matrix) {
  if (matrix.empty() || (matrix.dim(0) == cells.rows && matrix.dim(1) == cells.columns)) return matrix;
  return matrix.slice(0, cells.from_row, cells.from_row + cells.rows)
      .slice(1, cells.from_column, cells.from_column + cells.columns);
}

}  // namespace

CellColors colors_of(const Cells& cells, const Theme& theme, std::int64_t most_rows, std::int64_t most_columns) {
  CellColors out;
  out.rows = std::clamp<std::int64_t>(most_rows, 1, cells.rows);
  out.columns = std::clamp<std::int64_t>(most_columns, 1, cells.columns);
  out.colors.resize(static_cast<std::size_t>(out.rows * out.columns), Color{0, 0, 0, 0});
  const Colormap* map = colormaps().find(cells.colormap);
  if (!map) map = &colormaps().entries().front();
  const Tensor values_tensor = shown(cells, cells.values).as(DType::f32).compact();
  const Tensor mask_tensor = cells.mask.empty() ? Tensor() : shown(cells, cells.mask).as(DType::u8).compact();
  const float* values = values_tensor.data<float>();
  const std::uint8_t* mask = mask_tensor.empty() ? nullptr : mask_tensor.data<std::uint8_t>();
  const float range = cells.high > cells.low ? cells.high - cells.low : 1e-12f;
  const bool mean = cells.reduction == Reduction::mean;

  for (std::int64_t r = 0; r < out.rows; ++r) {
    const std::int64_t r0 = r * cells.rows / out.rows, r1 = (r + 1) * cells.rows / out.rows;
    for (std::int64_t c = 0; c < out.columns; ++c) {
      const std::int64_t c0 = c * cells.columns / out.columns, c1 = (c + 1) * cells.columns / out.columns;
      double sum = 0;
      float best = 0;
      std::int64_t numbers = 0, visible = 0;
      NonFinite highest = NonFinite::none;
      for (std::int64_t i = r0; i < r1; ++i) {
        for (std::int64_t j = c0; j < c1; ++j) {
          const std::int64_t at = i * cells.columns + j;
          if (mask && !mask[at]) continue;
          ++visible;
          const float v = values[at];
          if (const NonFinite kind = non_finite(v); kind != NonFinite::none) {
            highest = std::max(highest, kind);
            continue;
          }
          if (numbers == 0 || (map->is_signed ? std::abs(v) > std::abs(best) : v > best)) best = v;
          sum += static_cast<double>(v);
          ++numbers;
        }
      }
      if (visible == 0) continue;
      Color& out_color = out.colors[static_cast<std::size_t>(r * out.columns + c)];
      if (highest != NonFinite::none) {  // one such cell is seen among any number of others
        out_color = color_of(highest);
        continue;
      }
      const float value = mean ? static_cast<float>(sum / static_cast<double>(numbers)) : best;
      out_color = map->at((value - cells.low) / range, theme);
      out_color.a = static_cast<float>(visible) / static_cast<float>((r1 - r0) * (c1 - c0));
    }
  }
  return out;
}

bool has_masked(const Cells& cells) {
  if (cells.mask.empty()) return false;
  const Tensor mask = shown(cells, cells.mask).as(DType::u8).compact();
  const auto values = mask.values<std::uint8_t>();
  return std::find(values.begin(), values.end(), std::uint8_t{0}) != values.end();
}

bool has_gap(const Cells& cells) {
  return cells.gap > 0 && cells.box.w > 4 * static_cast<float>(cells.columns) && cells.box.h > 4 * static_cast<float>(cells.rows);
}

}  // namespace headlight::figures
