// Principal components: points of many dimensions in the plane along which they vary the most.
#pragma once

#include <array>
#include <vector>

namespace headlight {

struct Projection {
  std::vector<std::array<double, 2>> points;     // of each vector, along the first and the second component; their mean is (0, 0)
  std::array<double, 2> share{0, 0};             // of the points' whole variance, 0..1; 0 where all points are equal
  std::vector<double> mean;                      // [d]
  std::array<std::vector<double>, 2> direction;  // [d], of length 1, or all 0 where the points vary in fewer dimensions

  std::array<double, 2> of(const std::vector<double>& vector) const;  // another vector of the same space in the plane
};

// `vectors`: n of d dimensions, n below a few thousand. A component and its negative are the same line, so that a sign must be
// chosen: the largest number of each direction is positive. Pearson 1901; computed from the smaller of the n x n and d x d
// products.
Projection principal_plane(const std::vector<std::vector<double>>& vectors);

}  // namespace headlight
