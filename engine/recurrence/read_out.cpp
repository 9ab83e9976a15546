// What needs a matrix library: the echo state network's read-out, and the Jacobian of one attention.
#include <Eigen/Cholesky>
#include <cmath>
#include <string>

#include "engine/core/rng.h"
#include "engine/recurrence/learning.h"

namespace headlight::recurrence {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Result<Network> fit_read_out(const Network& network, const Unfolded& unfolded, double ridge, double sharpness) {
  const std::int64_t units = network.settings.units, pairs = unfolded.hidden().dim(0) - 1;
  Network fitted = network;
  if (pairs < 1) return fitted;
  Eigen::MatrixXd states(pairs, units + 1);
  states.leftCols(units) = Eigen::Map<const Matrix>(unfolded.hidden().data<double>(), pairs, units);
  states.col(units).setOnes();
  Eigen::MatrixXd follows = Eigen::MatrixXd::Zero(pairs, network.symbols);
  for (std::int64_t t = 0; t < pairs; ++t) follows(t, unfolded.tokens[static_cast<std::size_t>(t + 1)]) = 1;
  const Eigen::MatrixXd normal = states.transpose() * states + ridge * Eigen::MatrixXd::Identity(units + 1, units + 1);
  const Eigen::MatrixXd solved = normal.ldlt().solve(states.transpose() * follows);
  double* const wy = fitted.numbers.data() + fitted.array("wy").at;
  double* const by = fitted.numbers.data() + fitted.array("by").at;
  for (std::int64_t s = 0; s < network.symbols; ++s) {
    for (std::int64_t u = 0; u < units; ++u) wy[s * units + u] = sharpness * solved(u, s);
    by[s] = sharpness * solved(units, s);
  }
  return fitted;
}

std::vector<double> attention_influence(const std::vector<std::int64_t>& tokens, std::int64_t symbols, std::int64_t units,
                                        std::uint64_t seed, std::int64_t at) {
  const auto matrix = [&](const char* name) {
    const Rng rng(seed, std::string("recurrence.attention.") + name);
    Eigen::MatrixXd w(units, symbols);
    for (std::int64_t r = 0; r < units; ++r)
      for (std::int64_t c = 0; c < symbols; ++c)
        w(r, c) = rng.normal(static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
    return w;
  };
  const Eigen::MatrixXd wq = matrix("wq"), wk = matrix("wk"), wv = matrix("wv");
  const auto count = static_cast<std::int64_t>(tokens.size());
  const double root = std::sqrt(static_cast<double>(units));
  const Eigen::VectorXd q = wq.col(tokens[static_cast<std::size_t>(at)]);
  Eigen::VectorXd weights(count);
  for (std::int64_t t = 0; t < count; ++t) weights[t] = q.dot(wk.col(tokens[static_cast<std::size_t>(t)])) / root;
  weights = (weights.array() - weights.maxCoeff()).exp().matrix();
  weights /= weights.sum();
  Eigen::VectorXd out = Eigen::VectorXd::Zero(units);
  for (std::int64_t t = 0; t < count; ++t) out += weights[t] * wv.col(tokens[static_cast<std::size_t>(t)]);
  // Through v_t, through k_t, and of the asking token itself through q.
  Eigen::MatrixXd through_q = Eigen::MatrixXd::Zero(units, symbols);
  for (std::int64_t t = 0; t < count; ++t) {
    const auto token = tokens[static_cast<std::size_t>(t)];
    through_q += weights[t] * (wv.col(token) - out) * (wk.col(token).transpose() * wq) / root;
  }
  std::vector<double> norms;
  for (std::int64_t t = 0; t < count; ++t) {
    const auto token = tokens[static_cast<std::size_t>(t)];
    Eigen::MatrixXd jacobian = weights[t] * wv + weights[t] * (wv.col(token) - out) * (q.transpose() * wk) / root;
    if (t == at) jacobian += through_q;
    norms.push_back(jacobian.norm());
  }
  return norms;
}

}  // namespace headlight::recurrence
