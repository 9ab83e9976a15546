// Head statistics: a few honest numbers about one attention pattern, and a name for it where the numbers earn one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight {

// Means over the rows that may see at least two keys: a row with one key has no choice, and would only flatter the head.
struct HeadStatistics {
  std::int64_t rows = 0;         // rows that count; 0: the rest says nothing
  double entropy = 0;            // mean of -sum w ln w, in nats
  double relative_entropy = 0;   // mean of each row's entropy / ln(keys it may see): 0 = one key, 1 = all alike
  double first_token = 0;        // mean weight on key 0, over rows that may see key 0 (and are not row 0 of self-attention)
  double distance = 0;           // mean of sum_j w_ij |i - j|, in tokens; self-attention only
  double relative_distance = 0;  // distance / (the largest that the mask allows), mean over rows
  // Mean weight on key i - 1, i, i + 1 over rows that may see it; on the token after an earlier occurrence of the same token
  // (induction; Olsson et al. 2022), NaN where nothing repeats.
  double previous = 0, self = 0, next = 0, induction = 0;
  double chance = 0;         // mean of 1 / (keys the row may see): what an even head would score
  double worst_row_sum = 1;  // the sum of a row that is farthest from 1, over rows that may see a key at all
  std::string pattern;       // "previous-token head", "first-token head", ..., "mixed"; empty without rows
  double score = 0;          // the mean weight that the name stands for
  std::string words;         // "previous-token head (score 0.93)"
};

// weights f32 or f64 [queries, keys], contiguous or not; mask u8 of the same shape, or empty. `ids` are the tokens of the rows
// where rows and columns are the same sentence (self-attention), empty otherwise: then nothing is said about distance.
// A name is given from a score of 0.5 that is at least twice the chance; "even" from a relative entropy of 0.95.
HeadStatistics head_statistics(const Tensor& weights, const Tensor& mask, std::span<const std::int32_t> ids);

// The largest (or the mean) of each block's cells that may be attended, so that neither side is longer than `limit`: what a
// thumbnail of a long text is made of. Blocks are equal except the last. values f32 [rows, columns]; a mask (u8, or empty) is
// reduced along: a block may be attended if any cell of it may. Values itself if it is small enough.
struct Reduced {
  Tensor values, mask;
  std::int64_t block = 1;  // cells a side that became one
};
Reduced reduce_to(const Tensor& values, const Tensor& mask, std::int64_t limit, bool mean = false);

}  // namespace headlight
