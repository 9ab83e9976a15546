// Zooming and panning a matrix of cells: the Heads tab, the Masks tab and the opened boxes of the walk-through share this. `zoom`
// is how many times fewer cells are in sight along each axis than the matrix has, 1: all of it; `pan_x` and `pan_y` are the first
// column and row in sight, in cells.
#pragma once

#include <cstdint>

#include "app/figures/base/figure.h"

namespace headlight::panels {

struct CellSpan {
  std::int64_t first = 0, count = 0;
};
// The cells of an axis of `size` that are in sight: whole ones, at least three of them (or all there are).
CellSpan cells_in_sight(std::int64_t size, double zoom, double pan);

// The cells that a picture shows.
struct PaneWindow {
  std::int64_t first_row = 0, rows = 0, first_column = 0, columns = 0;
};
PaneWindow window_of(const figures::Cells& cells);  // tagged from their first row and column, as pictures of matrices are

class Zoom {
 public:
  Zoom(double& zoom, double& pan_x, double& pan_y, std::int64_t rows, std::int64_t columns)
      : zoom_(zoom), pan_x_(pan_x), pan_y_(pan_y), rows_(rows), columns_(columns) {}

  PaneWindow window() const;  // what is in sight
  // Zooms by the wheel's notches. The point at these shares (0..1) of the picture's width and height stays where it is.
  void turn_wheel(float notches, double share_x, double share_y, const PaneWindow& shown);
  // The picture was pulled by these shares of its width and height.
  void drag(double share_x, double share_y, const PaneWindow& shown);
  void show_all();
  void keep_inside();  // no cell beyond the matrix is in sight
  // Moves the window as far as the cell needs to be in sight.
  void bring_into_sight(std::int64_t row, std::int64_t column);

 private:
  double &zoom_, &pan_x_, &pan_y_;
  std::int64_t rows_, columns_;
};

}  // namespace headlight::panels
