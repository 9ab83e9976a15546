// The frame of a matrix in every picture of a matrix: axis names, labels, lit lines, the legend. The heatmap and the dots draw
// the cells themselves. The frame is measured first, the cells get the remaining room, and the figure is cut to its content.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/base/axis_labels.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/legend.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct MatrixFrame {
  LabelAxis rows, columns;
  Box cells;
  float cell_w = 0, cell_h = 0;
  float legend_left = 0;
  bool reduced = false;      // some cells are smaller than a point
  std::int64_t hidden = 0;   // labels of tokens that are left out
  std::string hidden_words;  // which ones are shown: "every second label is shown"; empty: all
  std::string cut_words;     // how many labels of a file get an ellipsis; empty: none

  // The box of a shown cell, counted from the first shown row and column: cell(0, 0) is the upper left cell.
  Box cell(std::int64_t r, std::int64_t c) const {
    return {cells.x + static_cast<float>(c) * cell_w, cells.y + static_cast<float>(r) * cell_h, cell_w, cell_h};
  }
};

// Finds room for a matrix of `rows` x `columns` within the box; sizes in points. Adds a note about reduction to the legend if
// cells are reduced.
// frame_matrix(input, 8, 8, legend, 480, 400, measure).cells is the box of the 64 cells.
MatrixFrame frame_matrix(const MatrixInput& input, std::int64_t rows, std::int64_t columns, Legend& legend, float box_width,
                         float box_height, const TextMeasure& measure);
// add_title() adds the title; call it before you add the cells. add_frame() adds labels, lit lines, axes and legend and cuts the
// figure to its content; call it after you have added the cells.
// add_frame(figure, input, frame, legend, 480, 400, theme, measure) with the box that frame_matrix() had.
void add_title(Figure& figure, const MatrixInput& input, const Theme& theme);
void add_frame(Figure& figure, const MatrixInput& input, const MatrixFrame& frame, const Legend& legend, float box_width,
               float box_height, const Theme& theme, const TextMeasure& measure);

// Sets the shown part of the matrix in Cells; cells.key stays the key of the whole matrix.
// set_window(cells, frame, values, mask) shows frame.rows.count rows from frame.rows.first on.
void set_window(Cells& cells, const MatrixFrame& frame, const Tensor& values, const Tensor& mask);
// An axis name without its words in brackets if it would not fit into `room` points. brief_axis("query (attends)", 50, measure)
// gives "query"; with 500 instead of 50 it gives the whole name.
std::string brief_axis(const std::string& axis, float room, const TextMeasure& measure);
bool has_masked(const Tensor& mask);
// Sets what the legend says of masked cells and of those without a finite number. `count` counts these if the input has no count.
// set_special_cells(legend, input, [&](NonFiniteCount& count) { count.add(input.values, input.mask); }) for a heatmap.
void set_special_cells(Legend& legend, const MatrixInput& input, const std::function<void(NonFiniteCount&)>& count);
// The numbers of the picture, with the tokens as labels. matrix_data(input, weights).name is input.data_name.
Data matrix_data(const MatrixInput& input, const Tensor& values);

}  // namespace headlight::figures
