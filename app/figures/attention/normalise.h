// Turns weights into colours and sizes: fixed 0..1, up to the largest weight, each query by its largest weight, or logarithmic.
// The picture always names the chosen scale.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight::figures {

struct Shades {
  Tensor values;  // f32, of the matrix's shape: coloured between `low` and `high`
  float low = 0, high = 1;
  std::string low_words, high_words;  // words at the ends of the colour bar; empty: the numbers `low` and `high`
  std::string words;                  // "weight, fixed 0..1"
  double unit = 1;                    // the values times `unit` are the numbers that legend_shares() writes
};

// The shades of weights (0..1). `range` is "fixed" (0..1), "own" (0 to `largest`), "row" (each query by its largest weight) or
// "log" (powers of ten from 0.0001 to 1; smaller weights count as 0.0001); any other word means fixed. `rows_are_queries`: false
// if the matrix is transposed. Masked cells (mask u8 of the same shape, or empty) do not count as a query's largest weight.
// scale_of_weights() gives the scale without values; coloured_weights() gives the values (for "fixed" and "own" the weights
// themselves); shades_of_weights() gives both.
// Values that are no finite number stay what they are, and are no query's largest weight.
// shades_of_weights(weights, {}, "own", 0.5, true) has high = 0.5; of weights {{.2, .4}}, "row" gives the values {{.5, 1}}.
Shades scale_of_weights(const std::string& range, double largest);
Tensor coloured_weights(const Tensor& weights, const Tensor& mask, const std::string& range, bool rows_are_queries);
Shades shades_of_weights(const Tensor& weights, const Tensor& mask, const std::string& range, double largest,
                         bool rows_are_queries);
// The shades of scores of any sign, on a scale symmetric about 0; `what` names a score in the words.
// shades_of_scores(scores, 3, "score q·k") has low = -3 and high = 3.
Shades shades_of_scores(const Tensor& scores, double largest, const std::string& what);

// The sizes of marks: (values - low) / (high - low), 0..1; on a scale symmetric about 0 values / high, -1..1; 0 where the value
// is no finite number.
Tensor shares_of(const Shades& shades);
// The marks in a legend: their shares and the numbers that they stand for.
// legend_shares(scale_of_weights("fixed", 0), "fixed") gives {.1, "0.1"}, {.25, "0.25"}, {.5, "0.5"}, {1, "1"}.
std::vector<std::pair<float, std::string>> legend_shares(const Shades& shades, const std::string& range);

}  // namespace headlight::figures
