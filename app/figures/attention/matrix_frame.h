// The surroundings of a matrix in every picture of it: axis names, labels, lit lines, the legend. Heatmap and dots draw the cells
// themselves. Everything is measured first; the cells get the remaining room, and the figure is cut to its content.
#pragma once

#include <cstdint>
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
  bool reduced = false;  // some cells are smaller than a point

  Box cell(std::int64_t r, std::int64_t c) const {
    return {cells.x + static_cast<float>(c) * cell_w, cells.y + static_cast<float>(r) * cell_h, cell_w, cell_h};
  }
};

// Finds room for a matrix of `rows` x `columns` within the box. Adds a note about reduction to the legend where cells are
// reduced.
MatrixFrame frame_matrix(const MatrixInput& input, std::int64_t rows, std::int64_t columns, Legend& legend, float box_width,
                         float box_height, const TextMeasure& measure);
// add_title draws the title; call it before drawing the cells. add_frame draws labels, lit lines, axes and legend; call it after
// them. It also cuts the figure to its content.
void add_title(Figure& figure, const MatrixInput& input, const Theme& theme);
void add_frame(Figure& figure, const MatrixInput& input, const MatrixFrame& frame, const Legend& legend, float box_width,
               float box_height, const Theme& theme, const TextMeasure& measure);

// Sets the shown part of the matrix in Cells; the key is that of the whole matrix.
void set_window(Cells& cells, const MatrixFrame& frame, const Tensor& values, const Tensor& mask);
// An axis name that fits into `room` points at the axis size: "query (attends)", or "query" alone.
std::string brief_axis(const std::string& axis, float room, const TextMeasure& measure);
bool has_masked(const Tensor& mask);
// The numbers of the picture, with the tokens as labels.
Data matrix_data(const MatrixInput& input, const Tensor& values);

}  // namespace headlight::figures
