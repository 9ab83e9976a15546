// The user's choices for the figure of a matrix: which tokens it shows, how numbers become colours, how large the cells are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "engine/core/status.h"

namespace headlight::figures {

struct MatrixChoices {
  std::vector<std::int64_t> rows, columns;  // the shown rows and columns, in this order; empty: all
  std::optional<double> low, high;          // the numbers at the ends of the colour map; both or none
  std::optional<double> centre;             // the number at the middle of the colour map
  CellFit fit = CellFit::limited;
  float cell_side = 0;                // as in MatrixInput
  bool small_numbers = false;         // as in MatrixInput
  bool axes = true;                   // the axes' names are drawn
  float least_label = kLeastInFiles;  // as in MatrixInput
  std::string all_labels;             // as in MatrixInput

  bool has_limits() const { return low || centre; }
};

// The values of a HeatmapInput whose unit is `unit`: numbers / unit, f32. in_units(numbers, 1) are the numbers as f32.
Tensor in_units(const Tensor& numbers, double unit);

// Keeps the chosen rows and columns. Errors (usage): an unknown row or column.
// choose_tokens(input, {.rows = {2, 0}}) keeps rows 2 and 0 of `input`, in this order, and all columns.
Status choose_tokens(HeatmapInput& input, const MatrixChoices& choices);
Status choose_tokens(GridInput& input, const MatrixChoices& choices);

// Sets the ends and the middle of the colours. A number beyond an end has the end's colour, and the legend marks the end with ≤
// or ≥. With a centre alone the range is symmetric about the centre. With limits and a centre, each side of the centre has half
// of the map, and the written numbers are unchanged.
// limit_colors(input, {.low = -3, .high = 3}) sets input.low to -3 and input.high to 3.
void limit_colors(HeatmapInput& input, const MatrixChoices& choices);
void limit_colors(GridInput& input, const MatrixChoices& choices);

// Sets the sizes of cells and numbers, and removes the axes' names if they are not to be drawn.
// size_cells(input, {.axes = false}) empties input.row_axis and input.column_axis.
void size_cells(MatrixInput& input, const MatrixChoices& choices);
void size_cells(GridInput& input, const MatrixChoices& choices);

}  // namespace headlight::figures
