// The one way in which the Heads tab, the Masks tab and the walk-through zoom and pan a matrix.
#include "app/views/base/zoom.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace headlight {
namespace {

using views::cells_in_sight;
using views::PaneWindow;
using views::Zoom;

TEST(Zoom, AtLeastThreeWholeCellsAreInSight) {
  EXPECT_EQ(cells_in_sight(100, 1, 0).count, 100);
  EXPECT_EQ(cells_in_sight(100, 4, 10.7).first, 10);
  EXPECT_EQ(cells_in_sight(100, 4, 10.7).count, 25);
  EXPECT_EQ(cells_in_sight(100, 1000, 50).count, 3);
  EXPECT_EQ(cells_in_sight(2, 1000, 50).count, 2);
  EXPECT_EQ(cells_in_sight(100, 4, 90).first, 75) << "no cell beyond the last one";
  EXPECT_EQ(cells_in_sight(100, 4, -5).first, 0);
}

TEST(Zoom, WhatIsUnderTheMouseStaysThere) {
  std::mt19937 random(7);
  const auto share = [&] { return std::uniform_real_distribution<double>(0.05, 0.95)(random); };
  for (int i = 0; i < 200; ++i) {
    double zoom = 1, x = 0, y = 0;
    Zoom matrix(zoom, x, y, 400, 300);
    matrix.turn_wheel(4, share(), share(), matrix.window());
    matrix.keep_inside();
    const double across = share(), down = share();
    const PaneWindow before = matrix.window();
    matrix.turn_wheel(1, across, down, before);
    matrix.keep_inside();
    const PaneWindow after = matrix.window();
    EXPECT_LT(after.rows, before.rows);
    EXPECT_NEAR(static_cast<double>(after.first_column) + across * static_cast<double>(after.columns),
                static_cast<double>(before.first_column) + across * static_cast<double>(before.columns), 1.01);
    EXPECT_NEAR(static_cast<double>(after.first_row) + down * static_cast<double>(after.rows),
                static_cast<double>(before.first_row) + down * static_cast<double>(before.rows), 1.01);
  }
}

TEST(Zoom, EndsAtTheWholeAndAtThreeCellsAndNeverLeavesTheMatrix) {
  double zoom = 1, x = 0, y = 0;
  Zoom matrix(zoom, x, y, 40, 60);
  for (int i = 0; i < 50; ++i) matrix.turn_wheel(1, 0.9, 0.1, matrix.window());
  matrix.keep_inside();
  EXPECT_DOUBLE_EQ(zoom, 20);
  EXPECT_EQ(matrix.window().columns, 3);
  matrix.drag(-9, -9, matrix.window());
  matrix.keep_inside();
  EXPECT_EQ(matrix.window().first_column + matrix.window().columns, 3 + static_cast<std::int64_t>(x));
  EXPECT_LE(matrix.window().first_row + matrix.window().rows, 40);
  for (int i = 0; i < 50; ++i) matrix.turn_wheel(-1, 0.5, 0.5, matrix.window());
  matrix.keep_inside();
  EXPECT_EQ(zoom, 1);
  EXPECT_EQ(x, 0);
  EXPECT_EQ(y, 0);
  EXPECT_EQ(matrix.window().rows, 40);
}

TEST(Zoom, TheWindowFollowsACellNoFurtherThanItMust) {
  double zoom = 4, x = 0, y = 0;
  Zoom matrix(zoom, x, y, 40, 40);
  matrix.bring_into_sight(9, 9);
  EXPECT_EQ(matrix.window().first_row, 0);
  matrix.bring_into_sight(10, 25);
  EXPECT_EQ(matrix.window().first_row, 1);
  EXPECT_EQ(matrix.window().first_column, 16);
  matrix.bring_into_sight(0, 30);
  EXPECT_EQ(matrix.window().first_row, 0);
  EXPECT_EQ(matrix.window().first_column, 21);
}

}  // namespace
}  // namespace headlight
