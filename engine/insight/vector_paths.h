// The movement of some vectors while they are learnt: all their states in one plane.
#pragma once

#include <array>
#include <vector>

namespace headlight {

struct VectorPaths {
  std::vector<std::vector<std::array<double, 2>>> points;  // [state][vector]; each state's mean is (0, 0)
  double share = 0;                                        // the plane's share of the last state's variance, 0..1
};
// `states`: [state][vector][d], the same vectors each time. The plane is the last state's principal_plane(). Within it the axes
// are turned, and mirrored where that is nearer, from each state's plane to the next one's by orthogonal Procrustes analysis
// (Schönemann 1966), so that the picture does not turn over when another state is added.
VectorPaths vector_paths(const std::vector<std::vector<std::vector<double>>>& states);

}  // namespace headlight
