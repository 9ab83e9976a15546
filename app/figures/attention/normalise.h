// How weights become colours and sizes: fixed 0..1, up to the largest, each query by its largest, or logarithmic. The picture
// always says which, in words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight::figures {

struct Shades {
  Tensor values;  // f32, of the matrix's shape: coloured between low and high
  float low = 0, high = 1;
  std::string low_words, high_words;  // at the ends of the colour bar; empty: the numbers there
  std::string words;                  // "weight, fixed 0..1"
};

// Weights, 0..1. `range`: "fixed" (0..1), "own" (0 to `largest`), "row" (each query by its largest weight), "log" (powers of ten
// from 0.0001 to 1; smaller ones count as 0.0001); anything else is fixed. `rows_are_queries`: false if the matrix is transposed.
// Masked cells (mask u8 of the same shape, or empty) are ignored. scale_of_weights gives no values; these are coloured_weights
// (for "fixed" and "own" the weights themselves).
Shades scale_of_weights(const std::string& range, double largest);
Tensor coloured_weights(const Tensor& weights, const Tensor& mask, const std::string& range, bool rows_are_queries);
Shades shades_of_weights(const Tensor& weights, const Tensor& mask, const std::string& range, double largest,
                         bool rows_are_queries);
// Scores of any sign, on a scale symmetric about 0; `what` is e.g. "score q·k".
Shades shades_of_scores(const Tensor& scores, double largest, const std::string& what);

// How large marks are drawn: (values - low) / (high - low), 0..1; on a scale symmetric about 0 values / high, -1..1.
Tensor shares_of(const Shades& shades);
// The marks in a legend: their shares and the numbers they stand for.
std::vector<std::pair<float, std::string>> legend_shares(const Shades& shades, const std::string& range);

}  // namespace headlight::figures
