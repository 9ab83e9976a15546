// Copies the rows of heads between two layouts: the heads of a position side by side, and each head for itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "engine/core/parallel.h"

namespace headlight::backends::cpu {

// Copies `count` floats. A row of a head is short: a call of memmove would take longer than the copying.
// copy_row(x, d_k, y) copies one row.
inline void copy_row(const float* from, std::int64_t count, float* to) {
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) std::memcpy(to + i, from + i, 8 * sizeof(float));
  for (; i < count; ++i) to[i] = from[i];
}

// Copies x [batch, length, heads, d_k] to y [batch, heads, length, d_k] if `split`, else the other way round. False: cancelled.
// move_heads(2, 10, 4, 16, true, x, y, cancel) splits x [2, 10, 64] into y [2, 4, 10, 16].
inline bool move_heads(std::int64_t batch, std::int64_t length, std::int64_t heads, std::int64_t d_k, bool split, const float* x,
                       float* y, const CancelToken& cancel) {
  return parallel_for(
      batch * length, std::max<std::int64_t>(1, 32768 / (heads * d_k)),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          for (std::int64_t h = 0; h < heads; ++h) {
            const std::int64_t merged = (r * heads + h) * d_k;
            const std::int64_t apart = ((r / length * heads + h) * length + r % length) * d_k;
            copy_row(x + (split ? merged : apart), d_k, y + (split ? apart : merged));
          }
        }
      },
      cancel);
}

}  // namespace headlight::backends::cpu
