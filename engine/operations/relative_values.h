// The part of the weighted sum that relative positions with clipping add: every distance between query and key has a row of a
// table.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y[b, h, i, :] = sum over j of weights[b, h, i, j] table[clip(j - i, -clip, clip) + clip, :], Shaw et al. 2018, equation 3.
// in: weights [batch, heads, queries, keys], table [2 clip + 1, d_v].  out: y [batch, heads, queries, d_v].
struct RelativeValues {
  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0, d_v = 0;
  std::int64_t clip = 0;
};
template <>
const Kind& kind_of<RelativeValues>();

}  // namespace headlight::operations
