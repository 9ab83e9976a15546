// How learnt vectors move in one plane: the plane is the last state's, means are in the middle, and pictures do not turn over.
#include "engine/insight/vector_paths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace headlight {
namespace {

using State = std::vector<std::vector<double>>;

// Five points of a plane in four dimensions, turned by `angle` within it, `size` times as large and moved.
State state(double angle, double size, double moved) {
  const double flat[5][2] = {{3, 0}, {-2, 1}, {0, -1.5}, {-1, -0.5}, {0, 1}};
  State made;
  for (const auto& p : flat) {
    const double x = size * (std::cos(angle) * p[0] - std::sin(angle) * p[1]),
                 y = size * (std::sin(angle) * p[0] + std::cos(angle) * p[1]);
    made.push_back({moved + x, y, moved + y, x - moved});
  }
  return made;
}

TEST(VectorPaths, ThePlaneIsTheLastStatesAndMeansAreInTheMiddle) {
  const VectorPaths paths = vector_paths({state(0, 0.1, 2), state(0.2, 0.5, 1), state(0.4, 1, 5)});
  ASSERT_EQ(paths.points.size(), 3U);
  EXPECT_NEAR(paths.share, 1, 1e-9);
  for (const auto& points : paths.points) {
    ASSERT_EQ(points.size(), 5U);
    double x = 0, y = 0;
    for (const auto& p : points) x += p[0], y += p[1];
    EXPECT_NEAR(x, 0, 1e-9);
    EXPECT_NEAR(y, 0, 1e-9);
  }
  // Distances within the plane are the vectors' own.
  const State last = state(0.4, 1, 5);
  double square = 0;
  for (std::size_t c = 0; c < 4; ++c) square += (last[0][c] - last[1][c]) * (last[0][c] - last[1][c]);
  const auto& points = paths.points.back();
  EXPECT_NEAR(std::hypot(points[0][0] - points[1][0], points[0][1] - points[1][1]), std::sqrt(square), 1e-9);
}

TEST(VectorPaths, AnotherStateDoesNotTurnThePictureOver) {
  // Half a turn in small steps: each state's own principal axes change their signs on the way, the picture does not.
  std::vector<State> states;
  std::vector<std::array<double, 2>> before;
  for (int k = 0; k <= 12; ++k) {
    states.push_back(state(k * std::acos(-1.0) / 12, 1, 0));
    const auto now = vector_paths(states).points.back();
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_LT(std::hypot(now[i][0] - before[i][0], now[i][1] - before[i][1]), 0.9) << k << ' ' << i;
    before = now;
  }
  EXPECT_TRUE(vector_paths({}).points.empty());
  EXPECT_EQ(vector_paths({{{1, 2}, {1, 2}}}).share, 0) << "two equal points have no plane";
}

}  // namespace
}  // namespace headlight
