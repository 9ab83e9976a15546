#include "engine/insight/vector_paths.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "engine/insight/projection.h"

namespace headlight {
namespace {

using Point = std::array<double, 2>;
using Points = std::vector<Point>;
using Turn = std::array<Point, 2>;  // a 2 x 2 matrix by rows

Point turned(const Turn& turn, const Point& p) {
  return {turn[0][0] * p[0] + turn[0][1] * p[1], turn[1][0] * p[0] + turn[1][1] * p[1]};
}

// The rotation or reflection of `from` that is nearest to `to`: it has the largest sum of to . (turn from).
Turn nearest_turn(const Points& from, const Points& to) {
  double m[2][2] = {};
  for (std::size_t i = 0; i < from.size(); ++i)
    for (std::size_t r = 0; r < 2; ++r)
      for (std::size_t c = 0; c < 2; ++c) m[r][c] += to[i][r] * from[i][c];
  const double along = m[0][0] + m[1][1], across = m[1][0] - m[0][1];
  const double mirrored_along = m[0][0] - m[1][1], mirrored_across = m[1][0] + m[0][1];
  const double rotation = std::hypot(along, across), reflection = std::hypot(mirrored_along, mirrored_across);
  if (!(std::max(rotation, reflection) > 0)) return {Point{1, 0}, Point{0, 1}};
  if (rotation >= reflection) {
    const double c = along / rotation, s = across / rotation;
    return {Point{c, -s}, Point{s, c}};
  }
  const double c = mirrored_along / reflection, s = mirrored_across / reflection;
  return {Point{c, s}, Point{s, -c}};
}

// A state in a plane, with its own mean in the middle.
Points in_plane(const std::vector<std::vector<double>>& state, const Projection& plane) {
  Points points;
  Point mean{0, 0};
  for (const std::vector<double>& vector : state) {
    points.push_back(plane.of(vector));
    for (std::size_t k = 0; k < 2; ++k) mean[k] += points.back()[k] / static_cast<double>(state.size());
  }
  for (Point& p : points)
    for (std::size_t k = 0; k < 2; ++k) p[k] -= mean[k];
  return points;
}

}  // namespace

VectorPaths vector_paths(const std::vector<std::vector<std::vector<double>>>& states) {
  VectorPaths paths;
  if (states.empty() || states.back().empty()) return paths;
  Projection plane;
  Turn turn{Point{1, 0}, Point{0, 1}};
  Points before;
  for (const auto& state : states) {
    plane = principal_plane(state);
    if (!before.empty()) turn = nearest_turn(plane.points, before);
    before.clear();
    for (const Point& p : plane.points) before.push_back(turned(turn, p));
  }
  for (const auto& state : states) {
    Points points = in_plane(state, plane);
    for (Point& p : points) p = turned(turn, p);
    paths.points.push_back(std::move(points));
  }
  paths.share = plane.share[0] + plane.share[1];
  return paths;
}

}  // namespace headlight
