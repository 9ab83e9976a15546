// The part of the scores that relative positions with clipping add: every distance between query and key has a row of a table.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y[b, h, i, j] = scale (q[b, h, i, :] . table[clip(j - i, -clip, clip) + clip, :]), Shaw et al. 2018, equation 4.
// in: q [batch, heads, queries, d_k], table [2 clip + 1, d_k].  out: y [batch, heads, queries, keys].
struct RelativeScores {
  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0, d_k = 0;
  std::int64_t clip = 0;
  double scale = 1;
};
template <>
const Kind& kind_of<RelativeScores>();

}  // namespace headlight::operations
