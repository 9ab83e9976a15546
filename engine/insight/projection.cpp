#include "engine/insight/projection.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace headlight {

std::array<double, 2> Projection::of(const std::vector<double>& vector) const {
  std::array<double, 2> at{0, 0};
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t c = 0; c < vector.size() && c < direction[k].size(); ++c) at[k] += (vector[c] - mean[c]) * direction[k][c];
  return at;
}

Projection principal_plane(const std::vector<std::vector<double>>& vectors) {
  Projection out;
  const auto n = static_cast<Eigen::Index>(vectors.size());
  const auto d = static_cast<Eigen::Index>(vectors.empty() ? 0 : vectors.front().size());
  if (n == 0 || d == 0) return out;
  Eigen::MatrixXd x(n, d);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index c = 0; c < d; ++c) x(i, c) = vectors[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)];
  const Eigen::RowVectorXd mean = x.colwise().mean();
  x.rowwise() -= mean;
  out.mean.assign(mean.data(), mean.data() + d);
  const double variance = x.squaredNorm();
  const bool by_points = n < d;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(by_points ? Eigen::MatrixXd(x * x.transpose())
                                                                        : Eigen::MatrixXd(x.transpose() * x));
  for (std::size_t k = 0; k < 2; ++k) {
    Eigen::VectorXd along = Eigen::VectorXd::Zero(d);
    // Eigen gives the values in ascending order.
    const Eigen::Index at = solved.eigenvalues().size() - 1 - static_cast<Eigen::Index>(k);
    // What is below rounding is no direction.
    if (at >= 0 && variance > 0 && solved.eigenvalues()(at) > 1e-12 * variance) {
      along = solved.eigenvectors().col(at);
      if (by_points) along = (x.transpose() * along).normalized();
      Eigen::Index largest = 0;
      along.cwiseAbs().maxCoeff(&largest);
      if (along(largest) < 0) along = -along;
      out.share[k] = solved.eigenvalues()(at) / variance;
    }
    out.direction[k].assign(along.data(), along.data() + d);
  }
  for (const std::vector<double>& vector : vectors) out.points.push_back(out.of(vector));
  return out;
}

}  // namespace headlight
