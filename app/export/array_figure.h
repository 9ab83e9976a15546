// Turns a user's array, or a matrix of a model's parameters, into the input of a layout.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/export/attention_figure.h"
#include "app/figures/attention/layouts.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::figures {

// How an array [rows, columns] or [head, rows, columns], or a grid of [any, head, rows, columns], is drawn.
struct ArrayView {
  std::string name;                                    // the array's name
  std::vector<std::string> row_labels, column_labels;  // empty: numbers
  std::string row_axis, column_axis;                   // the axes' names; empty: none
  std::string title;                                   // empty: the name
  std::string first_axis = "axis 0";                   // the name of the first of a grid's four axes: "layer"
  std::vector<std::int64_t> heads;                     // indices on the head axis; empty: head 0
  std::string colormap;                                // empty: viridis for numbers from 0 on, else signed
  std::string note;                                    // "random weights, seed 0"
  bool transposed = false;
};

// One input for each shown head. −∞ is hatched like a masked score if the array's name speaks of scores, logits or a mask, or if
// its numbers are no weights and none of them is NaN or +∞. Numbers beyond the range of f32 keep it by HeatmapInput::unit. Errors
// (usage): an array of another rank, or an empty one; an unknown head; a number of labels other than the number of rows or
// columns. array_inputs(array, {.heads = {0, 2}}) of an array [4, 5, 6] gives two inputs with values [5, 6].
Result<std::vector<HeatmapInput>> array_inputs(const Tensor& array, const ArrayView& view);
// All matrices of an array of three or four axes as thumbnails. Three axes give one row of thumbnails, four axes a row for each
// index of the first one. Errors: (usage) those of array_inputs(), fewer than three axes;
// (too_large) more than 2 GB.
// array_grid(array, {}) of an array [2, 4, 5, 6] gives a grid of 2 rows with 4 thumbnails each.
Result<GridInput> array_grid(const Tensor& array, const ArrayView& view);
// MatrixNature::weights if no number of the array is below 0, so that sizes can show the numbers; else MatrixNature::numbers.
// nature_of(array, {.name = "W"}) of an array with a negative number gives {MatrixNature::numbers, "W"}.
MatrixNature nature_of(const Tensor& array, const ArrayView& view);

}  // namespace headlight::figures
