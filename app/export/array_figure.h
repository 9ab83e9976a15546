// Arrays of one's own, and matrices of a model's parameters, as the inputs of the layouts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/export/attention_figure.h"
#include "app/figures/attention/layouts.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::figures {

// What is drawn of an array: numbers [rows, columns], [head, rows, columns] or [any, head, rows, columns].
struct ArrayView {
  std::string name;                                    // of the array
  std::vector<std::string> row_labels, column_labels;  // empty: numbers
  std::string row_axis, column_axis;                   // their names; empty: none
  std::optional<std::int64_t> first;                   // along the first of four axes; none: 0
  std::vector<std::int64_t> heads;                     // along the next one
  std::string colormap;                                // empty: viridis for numbers from 0 on, else signed
  std::string note;                                    // "random weights, seed 0"
  bool transposed = false;
};

// One input for each head that is shown, a number that is minus infinity hatched like a masked score. Errors (usage): an array
// of another rank or of no numbers; a head that is not there; labels that are not as many as rows or columns.
Result<std::vector<HeatmapInput>> array_inputs(const Tensor& array, const ArrayView& view);
// All matrices of an array of three or four axes as thumbnails: of four one row for each of the first axis, or that of
// view.first.
Result<GridInput> array_grid(const Tensor& array, const ArrayView& view);
// Weights if no number of the array is below 0: sizes can then show them.
MatrixNature nature_of(const Tensor& array, const ArrayView& view);

}  // namespace headlight::figures
