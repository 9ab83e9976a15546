// One attention under its masks: one picture, or before, after and their difference side by side with common labels; the cells
// that a stroke will paint, the edge of the mask, and the progress of a decoder line by line.
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
  std::string brief;  // the short title, "with", if the long title has no room
  Tensor values;      // f32 [rows, columns], contiguous; empty: not computed yet
  Tensor mask;        // u8, of the same shape, or empty; 0: hatched
  std::string colormap = "viridis";
  float low = 0, high = 1;
  std::string range_words;  // "weight 0..1"
  bool edges = false;       // draw the edge of the mask over this picture
  std::uint64_t key = 0;
};

// A line between cells, in cells from the matrix's top-left corner.
struct CellEdge {
  float from_row = 0, from_column = 0, to_row = 0, to_column = 0;
};
// The boundary between masked and visible cells; each straight run is one line. mask u8 [rows, columns] or empty. The list is
// empty if there would be more than `most` lines, because so many lines would be a net and no outline.
// mask_edges(mask) of {{1, 0}, {1, 1}} gives two lines: left of the masked cell and below it.
std::vector<CellEdge> mask_edges(const Tensor& mask, std::size_t most = 1500);

// An area of cells, numbered as in the whole matrix even if only a part is shown.
struct CellArea {
  std::int64_t row = 0, column = 0, rows = 1, columns = 1;
};

struct MaskPicturesInput {
  std::vector<MaskPicture> pictures;                   // all of one shape
  std::int64_t rows = 0, columns = 0;                  // the pictures' shape
  std::vector<std::string> row_labels, column_labels;  // tokens
  std::string row_axis = "query (attends)", column_axis = "key (is attended to)";
  std::string title;
  std::vector<std::string> notes;  // below the pictures: "random weights, seed 0"
  std::string waiting = "computing …";
  std::vector<CellEdge> edges;
  Reduction reduction = Reduction::max;
  float most_cell = 84;        // the most height of a cell, in points; a cell may be somewhat wider
  float most_width = 0;        // the most width of a cell, in points; 0: somewhat more than most_cell
  bool with_data = true;       // false on the screen, which exports no data from this figure
  bool legend = true;          // false: another picture has the scale, and says what hatching means
  bool tight_numbers = false;  // numbers stand in smaller cells, too
  // Line by line: only the first `revealed` rows are shown, and the last of them is the current row; -1: all rows. With
  // reveal_columns (for a transposed matrix) the same applies to columns.
  std::int64_t revealed = -1;
  bool reveal_columns = false;
  // On the screen: the lit row and column, the cells that a release of the mouse would paint, the keyboard's cursor, and the
  // shown part of a large matrix (a count of 0: the whole matrix).
  std::int64_t hot_row = -1, hot_column = -1;
  std::vector<CellArea> stroke;
  bool stroke_allows = false;
  std::int64_t cursor_row = -1, cursor_column = -1;
  std::int64_t first_row = 0, row_count = 0, first_column = 0, column_count = 0;
};

// Fits into `box_width` x `box_height`; between many tokens cells are square. Several pictures stand side by side if this leaves
// room to name each of up to 20 tokens, else two in a row if this leaves the room, else below each other, where each picture fits
// into the box. The Cells of each picture are tagged cell_area, beginning with the first shown cell.
// mask_pictures(input, 900, 480, theme, measure) shows input.pictures with common labels.
Figure mask_pictures(const MaskPicturesInput& input, float box_width, float box_height, const Theme& theme,
                     const TextMeasure& measure);

}  // namespace headlight::figures
