// The alignment scores side by side (S11): one query asks every key, in six ways. Plain loops in double.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/registry.h"
#include "engine/core/status.h"

namespace headlight {

// One query and the keys it asks.
struct ScoreQuestion {
  std::vector<double> s;               // [d], the query
  std::vector<std::vector<double>> h;  // [keys][d]
  std::vector<char> visible;           // [keys], 0: masked; empty: every key is asked
  double factor = 0;                   // factor of scaled dot on s·h; 0: 1/sqrt(d)
  double temperature = 1;              // every score is divided by it before the softmax
  std::uint64_t seed = 0;              // of the weights that additive, location and general draw
  // A model's own weights, row by row; empty: they are drawn.
  std::vector<double> general;          // W [d, d]
  std::vector<double> additive;         // W [d, 2d], its left half for s, its right half for h
  std::vector<double> additive_vector;  // v [d]
  std::vector<double> location;         // W [keys, d]

  double used_factor() const;
  bool sees(std::size_t key) const { return visible.empty() || visible[key] != 0; }
};

// A way to score.
struct ComparedScore {
  std::string id, label, formula, source;
  std::string meaning;       // one short sentence
  bool own_weights = false;  // it has weights of its own
  std::vector<double> (*scores)(const ScoreQuestion&);
};
// cosine, additive, location, general, dot, scaled_dot. Their own weights are normal numbers keyed by the seed, the name and the
// place, so that a longer text reads the same first rows: additive W [d, 2d] with deviation 1/sqrt(2d) and v [d] with 1/sqrt(d);
// location W [kMostPlaces, d] and general W [d, d] with 1/sqrt(d).
const Registry<ComparedScore>& compared_scores();
inline constexpr std::int64_t kMostPlaces = 4096;  // M_max: positions that the location score has a row for

struct ScoreRow {
  std::string id;               // of compared_scores()
  std::vector<double> scores;   // [keys]
  std::vector<double> weights;  // [keys], softmax of scores / temperature over the visible keys; 0 elsewhere
  double entropy = 0;           // of the weights, in nat
  double largest = 0;           // max |score| over the visible keys
  bool drawn = false;           // the score's own weights were drawn at random
};
// In the order of compared_scores(). Errors (invalid): no key, rows of different lengths, more than kMostPlaces keys.
Result<std::vector<ScoreRow>> score_rows(const ScoreQuestion& question);

// softmax(x / temperature) over the visible places; all zeros where none is visible. An empty `visible`: all are.
// softmax_of({1, 1, 5}, {1, 1, 0}, 1) gives {.5, .5, 0}.
std::vector<double> softmax_of(const std::vector<double>& x, const std::vector<char>& visible, double temperature);
double entropy_of(const std::vector<double>& weights);  // -sum w ln w, in nat

// The Frobenius norm of the softmax's Jacobian diag(p) - p p^T: the movement of the weights p when a score moves. With P_n = sum
// p^n it is sqrt(P_2 - 2 P_3 + P_2^2).
double jacobian_norm(const std::vector<double>& p);
// The norm of the Jacobian of softmax(factor dots / temperature) at each of `factors`; `dots`: s·h.
// jacobian_norms({1, 1}, {}, 1, {0, 1}) gives {.5, .5}: both weights are .5 at either factor.
std::vector<double> jacobian_norms(const std::vector<double>& dots, const std::vector<char>& visible, double temperature,
                                   const std::vector<double>& factors);

}  // namespace headlight
