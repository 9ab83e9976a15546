// A vector as a strip of coloured cells.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// Adds the strip in `box`: blue below zero, orange above, from -range to range.
// add_strip(figure, {0, 0, 320, 20}, {-1, 0, 1}, 1, {}) adds three cells.
inline void add_strip(Figure& figure, Box box, const std::vector<float>& vector, float range, Tag tag) {
  if (vector.empty()) return;
  Cells cells;
  cells.rows = 1;
  cells.columns = static_cast<std::int64_t>(vector.size());
  cells.values = Tensor(DType::f32, {1, cells.columns}, {}, true);
  std::copy(vector.begin(), vector.end(), cells.values.data<float>());
  cells.box = box;
  cells.colormap = "signed";
  cells.high = range > 0 ? range : 1;
  cells.low = -cells.high;
  cells.gap = 0;
  // A hash (FNV-1a) of the numbers themselves, so that different numbers never share a texture.
  cells.key = 14695981039346656037ull ^ static_cast<std::uint64_t>(cells.columns);
  for (const float v : vector) cells.key = (cells.key ^ std::bit_cast<std::uint32_t>(v)) * 1099511628211ull;
  cells.tag = tag;
  figure.add(std::move(cells));
}

}  // namespace headlight::figures
