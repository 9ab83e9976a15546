// How much each summand of an attention's result matters to the sum, by Ferrando and Voita, "Information Flow Routes:
// Automatically Interpreting Language Models at Scale" (2024), section 2.2: a summand z_k of z has the importance
// max(0, |z|_1 - |z - z_k|_1), and its share is its importance by the sum of all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/cancel.h"

namespace headlight::shares {

// z = before + (sum over heads h and keys j of weights[h, i, j] values[h, j] + bias) * scale + rest, for every query i. `rest` is
// rounding, and what an intervention puts in a head's place.
struct Summands {
  std::int64_t heads = 0, queries = 0, keys = 0, width = 0;
  std::span<const float> sum;      // z [queries, width]
  std::span<const float> before;   // [queries, width]; empty: nothing was there before
  std::span<const float> weights;  // [heads, queries, keys]
  std::span<const float> values;   // [heads, keys, width]: each head's v W_O
  // [heads, 2 clip + 1, width]: of relative positions a^V W_O, one row of which joins a value; empty: there are none.
  std::span<const float> by_distance;
  std::int64_t clip = 0;
  std::span<const float> bias;   // [width], of W_O; empty: it has none
  std::span<const float> scale;  // [queries, width]: of a norm behind W_O, held at its value; empty: there is none
};

// One attention's importances. Those of a query add up to total[query]; a share is an importance divided by it.
struct Importances {
  std::vector<float> by_source;  // [query, key]: the sum over the heads
  std::vector<float> before;     // [query]
  std::vector<float> rest;       // [query]: of the bias and of the rest
  std::vector<float> total;      // [query]; 0: every summand alone makes the sum longer
  std::vector<float> rest_size;  // [query]: the largest |number| of the rest without the bias
};
// Empty vectors: cancelled. Each query is computed on one thread, so that the result does not depend on their number.
Importances importances(const Summands& summands, const CancelToken& cancel);

// max(0, |z|_1 - |z - factor x|_1) of numbers that lie one behind the other. importance({3, 1}, {1, 0}, 2) is 2.
float importance(std::span<const float> z, std::span<const float> x, float factor);

}  // namespace headlight::shares
