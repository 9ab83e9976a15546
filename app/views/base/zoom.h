// Zooming and panning a matrix of cells, as the Heads tab, the Masks tab and the opened boxes of the Walk-through do. `zoom` is
// the matrix's size divided by the number of visible cells, along each axis; 1 shows the whole matrix. `pan_x` and `pan_y` are
// the first visible column and row, in cells.
#pragma once

#include <cstdint>

#include "app/figures/base/figure.h"

namespace headlight::views {

struct CellSpan {
  std::int64_t first = 0, count = 0;
};
// The visible cells of an axis of `size` cells: whole cells, at least three of them, or all of a shorter axis.
// cells_in_sight(100, 4, 10.7) gives {10, 25}: cells 10 to 34.
CellSpan cells_in_sight(std::int64_t size, double zoom, double pan);

// The cells that a picture shows.
struct PaneWindow {
  std::int64_t first_row = 0, rows = 0, first_column = 0, columns = 0;
};
// The cells of a picture whose tag holds its first row and column, as pictures of matrices do.
PaneWindow window_of(const figures::Cells& cells);

class Zoom {
 public:
  Zoom(double& zoom, double& pan_x, double& pan_y, std::int64_t rows, std::int64_t columns)
      : zoom_(zoom), pan_x_(pan_x), pan_y_(pan_y), rows_(rows), columns_(columns) {}

  PaneWindow window() const;  // the visible cells
  // Zooms by the wheel's notches, a factor of 1.25 each. The point at these shares (0..1) of the picture's width and height stays
  // in place.
  // turn_wheel(1, 0.5, 0.5, window()) zooms in around the picture's middle.
  void turn_wheel(float notches, double share_x, double share_y, const PaneWindow& shown);
  // Moves the matrix after the mouse has dragged the picture by these shares of its width and height.
  // drag(0.5, 0, window()) shows the cells half a picture further left.
  void drag(double share_x, double share_y, const PaneWindow& shown);
  void show_all();
  // A double click at this place: zooms in to about five cells around it, or shows the whole matrix again.
  void double_click(double share_x, double share_y, const PaneWindow& shown);
  void keep_inside();  // limits `pan`, so that only cells of the matrix are visible
  // Moves the visible window only as far as this cell needs in order to be visible.
  // bring_into_sight(40, 3) shows the cell in row 40, column 3.
  void bring_into_sight(std::int64_t row, std::int64_t column);

 private:
  double &zoom_, &pan_x_, &pan_y_;
  std::int64_t rows_, columns_;
};

}  // namespace headlight::views
