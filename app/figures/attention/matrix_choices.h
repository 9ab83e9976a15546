// What one chooses of a matrix for a figure: which of its tokens, how its numbers become colours, how large its cells are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "engine/core/status.h"

namespace headlight::figures {

struct MatrixChoices {
  std::vector<std::int64_t> rows, columns;  // the shown ones, in this order; empty: all
  std::optional<double> low, high;          // the numbers at the ends of the colour map; both or none
  std::optional<double> centre;             // the number at its middle
  CellFit fit = CellFit::limited;
  float cell_side = 0;         // as in MatrixInput
  bool small_numbers = false;  // as in MatrixInput
  bool axes = true;            // their names are drawn

  bool has_limits() const { return low || centre; }
};

// Keeps the chosen rows and columns. Errors (usage): one that is not there.
Status choose_tokens(HeatmapInput& input, const MatrixChoices& choices);
Status choose_tokens(GridInput& input, const MatrixChoices& choices);

// Sets the ends and the middle of the colours; what lies beyond an end has its colour, and the legend says so. With a centre and
// no limits the range is symmetric about it; with both, each side of it has half of the map, and the numbers are unchanged.
void limit_colors(HeatmapInput& input, const MatrixChoices& choices);
void limit_colors(GridInput& input, const MatrixChoices& choices);

// The sizes of cells and numbers, and whether the axes are named.
void size_cells(MatrixInput& input, const MatrixChoices& choices);
void size_cells(GridInput& input, const MatrixChoices& choices);

}  // namespace headlight::figures
