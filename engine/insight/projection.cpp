#include "engine/insight/projection.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "engine/core/linear_algebra.h"

namespace headlight {

std::array<double, 2> Projection::of(const std::vector<double>& vector) const {
  std::array<double, 2> at{0, 0};
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t c = 0; c < vector.size() && c < direction[k].size(); ++c) at[k] += (vector[c] - mean[c]) * direction[k][c];
  return at;
}

Projection principal_plane(const std::vector<std::vector<double>>& vectors) {
  Projection out;
  const auto n = static_cast<std::int64_t>(vectors.size());
  const auto d = static_cast<std::int64_t>(vectors.empty() ? 0 : vectors.front().size());
  if (n == 0 || d == 0) return out;
  out.mean.assign(static_cast<std::size_t>(d), 0);
  for (const std::vector<double>& vector : vectors)
    for (std::size_t c = 0; c < out.mean.size(); ++c) out.mean[c] += vector[c] / static_cast<double>(n);
  linear::Matrix x(n, d);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t c = 0; c < d; ++c)
      x(i, c) = vectors[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)] - out.mean[static_cast<std::size_t>(c)];
  const double variance = linear::norm(x) * linear::norm(x);
  const bool by_points = n < d;
  const linear::Matrix turned = linear::transposed(x);
  const linear::Eigensystem solved =
      linear::symmetric_eigensystem(by_points ? linear::product(x, turned) : linear::product(turned, x));
  for (std::size_t k = 0; k < 2; ++k) {
    linear::Matrix along(1, d);
    // What is below rounding is no direction.
    if (k < solved.values.size() && variance > 0 && solved.values[k] > 1e-12 * variance) {
      along = linear::rows_of(solved.vectors, static_cast<std::int64_t>(k), 1);
      if (by_points) along = linear::product(along, x);
      double length = linear::norm(along);
      const auto by_size = [](double a, double b) { return std::abs(a) < std::abs(b); };
      if (*std::max_element(along.numbers.begin(), along.numbers.end(), by_size) < 0) length = -length;
      for (double& number : along.numbers) number /= length;
      out.share[k] = solved.values[k] / variance;
    }
    out.direction[k] = std::move(along.numbers);
  }
  for (const std::vector<double>& vector : vectors) out.points.push_back(out.of(vector));
  return out;
}

}  // namespace headlight
