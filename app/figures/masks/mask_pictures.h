// One attention under its masks: one picture, or before, after and their difference side by side with one set of labels; what a
// stroke will paint, the edge of the mask, and how far a decoder has come line by line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/tensor.h"

namespace headlight::figures {

struct MaskPicture {
  std::string title;  // "with masks"
  std::string brief;  // "with", where that has no room
  Tensor values;      // f32 [rows, columns], contiguous; empty: still being computed
  Tensor mask;        // u8, of the same shape, or empty; 0: hatched
  std::string colormap = "viridis";
  float low = 0, high = 1;
  std::string range_words;  // "weight 0..1"
  bool edges = false;       // where the mask ends is drawn over this one
  std::uint64_t key = 0;
};

// A line between cells, in cells from the matrix's top-left corner.
struct CellEdge {
  float from_row = 0, from_column = 0, to_row = 0, to_column = 0;
};
// The boundary between masked and visible cells, each straight run as one line. mask u8 [rows, columns] or empty. Empty if there
// would be more than `most`: then it would be a net and no outline.
std::vector<CellEdge> mask_edges(const Tensor& mask, std::size_t most = 1500);

// Cells of the matrix in its own numbers, whatever part of it is shown.
struct CellArea {
  std::int64_t row = 0, column = 0, rows = 1, columns = 1;
};

struct MaskPicturesInput {
  std::vector<MaskPicture> pictures;                   // all of one shape
  std::int64_t rows = 0, columns = 0;                  // that shape
  std::vector<std::string> row_labels, column_labels;  // tokens
  std::string row_axis = "query (attends)", column_axis = "key (is attended to)";
  std::string title;
  std::vector<std::string> notes;  // below: "random weights, seed 0"
  std::string waiting = "computing …";
  std::vector<CellEdge> edges;
  Reduction reduction = Reduction::max;
  float most_cell = 84;   // a cell's side in points
  bool with_data = true;  // false on the screen, where nobody exports it
  // Line by line: only the first `revealed` rows are shown, the last of them is the current one; -1: all. Along columns when
  // transposed.
  std::int64_t revealed = -1;
  bool reveal_columns = false;
  // On the screen: what is lit, what a release would paint, where the keyboard's cursor is; the window into a large matrix (0:
  // whole).
  std::int64_t hot_row = -1, hot_column = -1;
  std::vector<CellArea> stroke;
  bool stroke_allows = false;
  std::int64_t cursor_row = -1, cursor_column = -1;
  std::int64_t first_row = 0, row_count = 0, first_column = 0, column_count = 0;
};

// Fits into `box_width` x `box_height` (several that have no room beside each other: each into it, one below the other); cells
// are square. Each picture's Cells are tagged cell_area from the window's first cell.
Figure mask_pictures(const MaskPicturesInput& input, float box_width, float box_height, const Theme& theme,
                     const TextMeasure& measure);

}  // namespace headlight::figures
