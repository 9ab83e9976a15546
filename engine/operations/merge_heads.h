// The heads of each position put side by side: the inverse of split_heads; a copy.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// [B, h, L, d_k] -> [B, L, h d_k].
// in: x [batch, heads, length, d_k].  out: [batch, length, heads d_k]
struct MergeHeads {
  std::int64_t batch = 0, length = 0, heads = 0, d_k = 0;
};
template <>
const Kind& kind_of<MergeHeads>();

}  // namespace headlight::operations
