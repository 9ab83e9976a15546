// The colours of a matrix in files: one per cell, or one per block of cells if the file has fewer pixels than the matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct CellColors {
  std::int64_t rows = 0, columns = 0;
  std::vector<Color> colors;  // alpha: the visible share of the block; 0 where everything is masked
  // at(0, 0) is the colour of the upper left block.
  const Color& at(std::int64_t r, std::int64_t c) const { return colors[static_cast<std::size_t>(r * columns + c)]; }
};

// The colours of at most `most_rows` x `most_columns` blocks. A block's value is the largest value of its visible cells (the
// farthest from zero on a signed map) or their mean, as cells.reduction says; masked cells do not count. A block with a visible
// cell that holds no finite number has that cell's colour (non_finite.h).
// colors_of(cells, theme, 100, 100) of 8 x 8 cells gives 8 x 8 colours; of 500 x 300 cells it gives 100 x 100.
CellColors colors_of(const Cells& cells, const Theme& theme, std::int64_t most_rows, std::int64_t most_columns);

bool has_masked(const Cells& cells);
// Whether cells are drawn with a gap between them. Only cells larger than 4 points have a gap.
bool has_gap(const Cells& cells);

// The hatching, for all files: parallel lines where x + y is a multiple of this many points.
inline constexpr float kHatchPeriod = 7.0f, kHatchWidth = 1.0f;

}  // namespace headlight::figures
