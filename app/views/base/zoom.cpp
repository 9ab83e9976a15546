#include "app/views/base/zoom.h"

#include <algorithm>
#include <cmath>

namespace headlight::views {
namespace {

void follow(double& pan, const CellSpan& span, std::int64_t cell) {
  if (cell < span.first) pan = static_cast<double>(cell);
  if (cell >= span.first + span.count) pan = static_cast<double>(cell - span.count + 1);
}

}  // namespace

CellSpan cells_in_sight(std::int64_t size, double zoom, double pan) {
  const auto count = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(static_cast<double>(size) / zoom)),
                                              std::min<std::int64_t>(size, 3), size);
  return {std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(pan)), 0, size - count), count};
}

PaneWindow window_of(const figures::Cells& cells) { return {cells.tag.a, cells.rows, cells.tag.b, cells.columns}; }

PaneWindow Zoom::window() const {
  const CellSpan down = cells_in_sight(rows_, zoom_, pan_y_), across = cells_in_sight(columns_, zoom_, pan_x_);
  return {down.first, down.count, across.first, across.count};
}

void Zoom::turn_wheel(float notches, double share_x, double share_y, const PaneWindow& shown) {
  const double most = std::max(1.0, static_cast<double>(std::max(rows_, columns_)) / 3);
  const double at_x = static_cast<double>(shown.first_column) + share_x * static_cast<double>(shown.columns);
  const double at_y = static_cast<double>(shown.first_row) + share_y * static_cast<double>(shown.rows);
  zoom_ = std::clamp(zoom_ * std::pow(1.25, static_cast<double>(notches)), 1.0, most);
  pan_x_ = at_x - share_x * static_cast<double>(cells_in_sight(columns_, zoom_, 0).count);
  pan_y_ = at_y - share_y * static_cast<double>(cells_in_sight(rows_, zoom_, 0).count);
}

void Zoom::drag(double share_x, double share_y, const PaneWindow& shown) {
  pan_x_ -= share_x * static_cast<double>(shown.columns);
  pan_y_ -= share_y * static_cast<double>(shown.rows);
}

void Zoom::show_all() {
  zoom_ = 1;
  pan_x_ = pan_y_ = 0;
}

void Zoom::double_click(double share_x, double share_y, const PaneWindow& shown) {
  constexpr double kCells = 5;
  const double closer = static_cast<double>(std::max(rows_, columns_)) / kCells;
  if (zoom_ > 1 || closer <= 1 || share_x < 0 || share_x >= 1 || share_y < 0 || share_y >= 1) return show_all();
  zoom_ = closer;
  const auto middle = [](std::int64_t first, double share, std::int64_t count, std::int64_t seen) {
    return static_cast<double>(first) + std::floor(share * static_cast<double>(count)) -
           std::floor(static_cast<double>(seen) / 2);
  };
  pan_x_ = middle(shown.first_column, share_x, shown.columns, cells_in_sight(columns_, zoom_, 0).count);
  pan_y_ = middle(shown.first_row, share_y, shown.rows, cells_in_sight(rows_, zoom_, 0).count);
}

void Zoom::keep_inside() {
  if (zoom_ <= 1) show_all();
  pan_x_ = std::clamp(pan_x_, 0.0, static_cast<double>(columns_ - cells_in_sight(columns_, zoom_, 0).count));
  pan_y_ = std::clamp(pan_y_, 0.0, static_cast<double>(rows_ - cells_in_sight(rows_, zoom_, 0).count));
}

void Zoom::bring_into_sight(std::int64_t row, std::int64_t column) {
  follow(pan_y_, cells_in_sight(rows_, zoom_, pan_y_), row);
  follow(pan_x_, cells_in_sight(columns_, zoom_, pan_x_), column);
}

}  // namespace headlight::views
