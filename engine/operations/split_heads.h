// Columns divided among heads, and the heads put before the positions; a copy.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// [B, L, h d_k] -> [B, h, L, d_k]; head i owns columns i d_k .. (i + 1) d_k.
// in: x [batch, length, heads d_k].  out: [batch, heads, length, d_k]
struct SplitHeads {
  std::int64_t batch = 0, length = 0, heads = 0, d_k = 0;
};
template <>
const Kind& kind_of<SplitHeads>();

}  // namespace headlight::operations
