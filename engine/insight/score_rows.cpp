#include "engine/insight/score_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/rng.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;

double dot_of(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// [rows, columns], row by row.
Vector drawn(const Rng& rng, std::size_t rows, std::size_t columns, double deviation) {
  Vector w(rows * columns);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) w[r * columns + c] = deviation * rng.normal(r, c);
  return w;
}

// s·h / (|s| |h|); 0 where a vector is zero.
Vector cosine_scores(const ScoreQuestion& q) {
  Vector e;
  const double length = std::sqrt(dot_of(q.s, q.s));
  for (const Vector& h : q.h) {
    const double both = length * std::sqrt(dot_of(h, h));
    e.push_back(both > 0 ? dot_of(q.s, h) / both : 0.0);
  }
  return e;
}

// v·tanh(W [s; h]): a network of two layers reads query and key together.
Vector additive_scores(const ScoreQuestion& q) {
  const std::size_t d = q.s.size();
  const double root = std::sqrt(static_cast<double>(d));
  const bool own = !q.additive.empty();
  const Vector w = own ? q.additive : drawn(Rng(q.seed, "scores.additive.w"), d, 2 * d, 1 / (std::sqrt(2.0) * root));
  const Vector v = own ? q.additive_vector : drawn(Rng(q.seed, "scores.additive.v"), 1, d, 1 / root);
  Vector of_query(d, 0.0);  // the left half of W times s, the same for every key
  for (std::size_t r = 0; r < d; ++r)
    for (std::size_t c = 0; c < d; ++c) of_query[r] += w[r * 2 * d + c] * q.s[c];
  Vector e;
  for (const Vector& h : q.h) {
    double sum = 0;
    for (std::size_t r = 0; r < d; ++r) {
      double inside = of_query[r];
      for (std::size_t c = 0; c < d; ++c) inside += w[r * 2 * d + d + c] * h[c];
      sum += v[r] * std::tanh(inside);
    }
    e.push_back(sum);
  }
  return e;
}

// (W s)_j with W [M_max, d], cut to the text's length: the place j is scored, and what stands there is not read.
Vector location_scores(const ScoreQuestion& q) {
  const std::size_t d = q.s.size();
  const Vector w = !q.location.empty()
                       ? q.location
                       : drawn(Rng(q.seed, "scores.location.w"), q.h.size(), d, 1 / std::sqrt(static_cast<double>(d)));
  Vector e(q.h.size(), 0.0);
  for (std::size_t j = 0; j < e.size(); ++j)
    for (std::size_t c = 0; c < d; ++c) e[j] += w[j * d + c] * q.s[c];
  return e;
}

// s^T W h.
Vector general_scores(const ScoreQuestion& q) {
  const std::size_t d = q.s.size();
  const Vector w =
      !q.general.empty() ? q.general : drawn(Rng(q.seed, "scores.general.w"), d, d, 1 / std::sqrt(static_cast<double>(d)));
  Vector turned(d, 0.0);  // s^T W
  for (std::size_t r = 0; r < d; ++r)
    for (std::size_t c = 0; c < d; ++c) turned[c] += q.s[r] * w[r * d + c];
  Vector e;
  for (const Vector& h : q.h) e.push_back(dot_of(turned, h));
  return e;
}

Vector dot_scores(const ScoreQuestion& q) {
  Vector e;
  for (const Vector& h : q.h) e.push_back(dot_of(q.s, h));
  return e;
}

Vector scaled_dot_scores(const ScoreQuestion& q) {
  Vector e = dot_scores(q);
  for (double& one : e) one *= q.used_factor();
  return e;
}

}  // namespace

double ScoreQuestion::used_factor() const { return factor > 0 ? factor : 1 / std::sqrt(static_cast<double>(s.size())); }

const Registry<ComparedScore>& compared_scores() {
  static const Registry<ComparedScore> scores(
      "alignment score",
      {{"cosine", "cosine", "s·h / |s||h|", "Graves et al. 2014, 3.3.1", "only the angle counts", false, cosine_scores},
       {"additive", "additive", "v·tanh(W [s; h])", "Bahdanau et al. 2015, A.1.2", "a small network compares", true,
        additive_scores},
       {"location", "location", "(W s)ⱼ", "Luong et al. 2015, 3.1", "the keys are not read", true, location_scores},
       {"general", "general", "sᵀ W h", "Luong et al. 2015, 3.1", "a learned pairing", true, general_scores},
       {"dot", "dot", "s·h", "Luong et al. 2015, 3.1", "long vectors count more", false, dot_scores},
       {"scaled_dot", "scaled dot", "s·h / √d", "Vaswani et al. 2017, 3.2.1", "held small at any width", false,
        scaled_dot_scores}});
  return scores;
}

std::vector<double> softmax_of(const std::vector<double>& x, const std::vector<char>& visible, double temperature) {
  const auto sees = [&](std::size_t j) { return visible.empty() || visible[j] != 0; };
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    if (sees(j)) largest = std::max(largest, x[j] / temperature);
  Vector p(x.size(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j)
    if (sees(j)) sum += p[j] = std::exp(x[j] / temperature - largest);
  if (sum > 0)
    for (double& one : p) one /= sum;
  return p;
}

double entropy_of(const std::vector<double>& weights) {
  double entropy = 0;
  for (const double w : weights)
    if (w > 0) entropy -= w * std::log(w);
  return entropy;
}

Result<std::vector<ScoreRow>> score_rows(const ScoreQuestion& question) {
  if (question.h.empty() || question.s.empty()) return invalid("there is no key to ask").at("scores").mend("give a text");
  for (const Vector& h : question.h)
    if (h.size() != question.s.size())
      return invalid("a key has {} numbers and the query {}", h.size(), question.s.size())
          .at("scores")
          .mend("compare vectors of one length");
  const std::size_t d = question.s.size();
  if (!question.general.empty() && question.general.size() != d * d)
    return invalid("the matrix of the general score does not fit a query of {} numbers", d)
        .at("scores")
        .mend("give a square matrix of that size");
  if (!question.additive.empty() && (question.additive.size() != 2 * d * d || question.additive_vector.size() != d))
    return invalid("the weights of the additive score do not fit a query of {} numbers", d)
        .at("scores")
        .mend("give a matrix of that many rows and twice as many columns, and a vector");
  if (!question.location.empty() && question.location.size() != question.h.size() * d)
    return invalid("the matrix of the location score does not fit a query of {} numbers", d)
        .at("scores")
        .mend("give a row for every key");
  if (static_cast<std::int64_t>(question.h.size()) > kMostPlaces)
    return invalid("the text has {} tokens, and the location score knows {} places", question.h.size(), kMostPlaces)
        .at("scores")
        .mend("use a shorter text");
  std::vector<ScoreRow> rows;
  for (const ComparedScore& kind : compared_scores().entries()) {
    ScoreRow row;
    row.id = kind.id;
    const bool given = (kind.id == "general" && !question.general.empty()) ||
                       (kind.id == "additive" && !question.additive.empty()) ||
                       (kind.id == "location" && !question.location.empty());
    row.drawn = kind.own_weights && !given;
    row.scores = kind.scores(question);
    row.weights = softmax_of(row.scores, question.visible, question.temperature);
    row.entropy = entropy_of(row.weights);
    for (std::size_t j = 0; j < row.scores.size(); ++j)
      if (question.sees(j)) row.largest = std::max(row.largest, std::abs(row.scores[j]));
    rows.push_back(std::move(row));
  }
  return rows;
}

double jacobian_norm(const std::vector<double>& p) {
  double squares = 0, cubes = 0;
  for (const double one : p) {
    squares += one * one;
    cubes += one * one * one;
  }
  return std::sqrt(std::max(0.0, squares - 2 * cubes + squares * squares));
}

std::vector<double> jacobian_norms(const std::vector<double>& dots, const std::vector<char>& visible, double temperature,
                                   const std::vector<double>& factors) {
  Vector norms;
  for (const double factor : factors) {
    Vector x = dots;
    for (double& one : x) one *= factor;
    norms.push_back(jacobian_norm(softmax_of(x, visible, temperature)));
  }
  return norms;
}

}  // namespace headlight
