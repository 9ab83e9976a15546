// Head statistics: a few measures of one attention pattern, and a name for it if the measures justify one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight {

// Means over the rows that may see at least two keys: a row with one key has no choice and would make every measure look strong.
struct HeadStatistics {
  std::int64_t rows = 0;         // rows that count; 0: the other numbers have no meaning
  double entropy = 0;            // mean of -sum w ln w, in nats
  double relative_entropy = 0;   // mean of each row's entropy / ln(keys it may see): 0 = one key, 1 = all equal
  double first_token = 0;        // mean weight on key 0, over rows that may see key 0 (and are not row 0 of self-attention)
  double distance = 0;           // mean of sum_j w_ij |i - j|, in tokens; self-attention only
  double relative_distance = 0;  // distance / (the largest that the mask allows), mean over rows
  // previous, self, next: mean weight on key i - 1, i, i + 1 over rows that may see it. induction: mean weight on the token after
  // an earlier occurrence of the same token (Olsson et al. 2022); NaN if no token repeats.
  double previous = 0, self = 0, next = 0, induction = 0;
  double chance = 0;         // mean of 1 / (keys the row may see): the score of a uniform head
  double worst_row_sum = 1;  // the row sum farthest from 1, over rows that may see any key; NaN if one of them is
  std::string pattern;       // "previous-token head", "first-token head", ..., "mixed"; empty without rows
  double score = 0;          // the mean weight that the name refers to
  std::string words;         // "previous-token head (score 0.93)"
};

// weights f32 or f64 [queries, keys], contiguous or not; mask u8 of the same shape, or empty. `ids`: the tokens of the rows if
// rows and columns are the same sentence (self-attention); else empty, and distance is not computed. A name needs a score of at
// least 0.5 and at least twice the chance; "even" needs a relative entropy of 0.95.
// head_statistics(weights, {}, {}) of a 2 x 2 matrix whose numbers are all .5: rows is 2, and relative_entropy is 1.
HeadStatistics head_statistics(const Tensor& weights, const Tensor& mask, std::span<const std::int32_t> ids);

// Thumbnails of long texts show a smaller matrix: each block of cells becomes the largest (or mean) value of its cells that may
// be attended, so that neither side is longer than `limit`. All blocks are equal except the last. values f32 [rows, columns]; a
// mask (u8, or empty) is reduced too: a block may be attended if any of its cells may. A block with a visible NaN is NaN, else
// one with an infinity is infinite. A small `values` is returned unchanged. reduce_to(values, {}, 100) of 250 x 250 cells: 84 x
// 84 values with a block of 3.
struct Reduced {
  Tensor values, mask;
  std::int64_t block = 1;  // cells per side of a block
};
Reduced reduce_to(const Tensor& values, const Tensor& mask, std::int64_t limit, bool mean = false);

}  // namespace headlight
