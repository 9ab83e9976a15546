// How weights become colours and sizes: fixed 0..1, up to the largest, each query by its largest, or logarithmic; always said in
// words beside the picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight::figures {

struct Shades {
  Tensor values;  // f32, of the matrix's shape: what is coloured between low and high
  float low = 0, high = 1;
  std::string low_words, high_words;  // at the ends of the colour bar; empty: the numbers
  std::string words;                  // "weight, fixed 0..1"
};

// Weights, 0..1. `range`: "fixed" (0..1), "own" (0 to `largest`), "row" (each query by its largest weight), "log" (powers of ten
// from 0.0001 to 1, smaller ones as 0.0001); anything else is fixed. `rows_are_queries`: false if the matrix is transposed.
// Masked cells (mask u8 of the same shape, or empty) count for nothing.
// scale_of_weights: without the values, whose colours are coloured_weights (the weights themselves for "fixed" and "own").
Shades scale_of_weights(const std::string& range, double largest);
Tensor coloured_weights(const Tensor& weights, const Tensor& mask, const std::string& range, bool rows_are_queries);
Shades shades_of_weights(const Tensor& weights, const Tensor& mask, const std::string& range, double largest,
                         bool rows_are_queries);
// Scores of any sign, symmetric about 0; `what` as "score q·k".
Shades shades_of_scores(const Tensor& scores, double largest, const std::string& what);

// (values - low) / (high - low), 0..1; for a scale symmetric about 0 values / high, -1..1: how large a mark is drawn.
Tensor shares_of(const Shades& shades);
// The sizes that a legend of marks shows: shares and the numbers that they stand for.
std::vector<std::pair<float, std::string>> legend_shares(const Shades& shades, const std::string& range);

}  // namespace headlight::figures
