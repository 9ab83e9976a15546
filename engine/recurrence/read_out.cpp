// The echo state network's read-out by ridge regression, and the Jacobian of one attention beside it.
#include <algorithm>
#include <cmath>
#include <string>

#include "engine/core/linear_algebra.h"
#include "engine/core/rng.h"
#include "engine/recurrence/learning.h"

namespace headlight::recurrence {

using linear::Matrix;

Result<Network> fit_read_out(const Network& network, const Unfolded& unfolded, double ridge, double sharpness) {
  const std::int64_t units = network.settings.units, pairs = unfolded.hidden().dim(0) - 1;
  Network fitted = network;
  if (pairs < 1) return fitted;
  // The states with a column of ones for the bias, and which symbol follows each.
  Matrix states(pairs, units + 1), follows(pairs, network.symbols);
  for (std::int64_t t = 0; t < pairs; ++t) {
    std::copy_n(unfolded.hidden().data<double>() + t * units, units, states.row(t));
    states(t, units) = 1;
    follows(t, unfolded.tokens[static_cast<std::size_t>(t + 1)]) = 1;
  }
  const Matrix turned = linear::transposed(states);
  Matrix normal = linear::product(turned, states);
  for (std::int64_t u = 0; u <= units; ++u) normal(u, u) += ridge;
  const Matrix solved = linear::solved_symmetric(normal, linear::product(turned, follows));
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
  // A row a symbol, so that the vector of a token is a row: its matrix turned.
  const auto matrix = [&](const char* name) {
    const Rng rng(seed, std::string("recurrence.attention.") + name);
    Matrix w(symbols, units);
    for (std::int64_t r = 0; r < units; ++r)
      for (std::int64_t c = 0; c < symbols; ++c)
        w(c, r) = rng.normal(static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
    return w;
  };
  const Matrix wq = matrix("wq"), wk = matrix("wk"), wv = matrix("wv");
  const double root = std::sqrt(static_cast<double>(units));
  // Every symbol's key asked by the asking token, and every symbol's query asking a key.
  const Matrix q = linear::rows_of(wq, tokens[static_cast<std::size_t>(at)], 1);
  const Matrix scores = linear::product(q, linear::transposed(wk));
  double highest = -INFINITY, sum = 0;
  for (const std::int64_t token : tokens) highest = std::max(highest, scores(0, token) / root);
  std::vector<double> weights;
  for (const std::int64_t token : tokens) weights.push_back(std::exp(scores(0, token) / root - highest));
  for (const double weight : weights) sum += weight;
  std::vector<double> out(static_cast<std::size_t>(units), 0);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    weights[t] /= sum;
    for (std::int64_t u = 0; u < units; ++u) out[static_cast<std::size_t>(u)] += weights[t] * wv(tokens[t], u);
  }
  // Adds factor times the product of a column, the value of `token` less the output, and a row over all symbols.
  const auto add_outer = [&](Matrix& jacobian, std::int64_t token, double factor, const double* row) {
    for (std::int64_t s = 0; s < symbols; ++s)
      for (std::int64_t u = 0; u < units; ++u)
        jacobian(s, u) += factor * (wv(token, u) - out[static_cast<std::size_t>(u)]) * row[s];
  };
  // Through v_t, through k_t, and of the asking token itself through q.
  const Matrix asked = linear::product(wk, linear::transposed(wq));
  Matrix through_q(symbols, units);
  for (std::size_t t = 0; t < tokens.size(); ++t) add_outer(through_q, tokens[t], weights[t] / root, asked.row(tokens[t]));
  std::vector<double> norms;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    Matrix jacobian = wv;
    for (double& number : jacobian.numbers) number *= weights[t];
    add_outer(jacobian, tokens[t], weights[t] / root, scores.row(0));
    if (static_cast<std::int64_t>(t) == at) linear::add(jacobian, through_q);
    norms.push_back(linear::norm(jacobian));
  }
  return norms;
}

}  // namespace headlight::recurrence
