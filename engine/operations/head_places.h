// The places of heads' numbers, side by side and apart, which split_heads and merge_heads copy between.
#pragma once

#include <cstdint>

#include "engine/core/cancel.h"
#include "engine/core/status.h"

namespace headlight::operations {

// Calls copy(apart, merged) for every number: its place in [batch, heads, length, d_k] and in [batch, length, heads d_k], where
// head h owns columns h d_k .. (h + 1) d_k of each row. Error: cancelled.
// for_each_place(1, 2, 1, 3, {}, copy) calls copy(0, 0), ..., copy(5, 5).
template <class Copy>
Status for_each_place(std::int64_t batch, std::int64_t heads, std::int64_t length, std::int64_t d_k, const CancelToken& cancel,
                      const Copy& copy) {
  for (std::int64_t b = 0; b < batch; ++b) {
    if (cancel.cancelled()) return cancelled();
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t t = 0; t < length; ++t)
        for (std::int64_t i = 0; i < d_k; ++i)
          copy(((b * heads + h) * length + t) * d_k + i, ((b * length + t) * heads + h) * d_k + i);
  }
  return {};
}

}  // namespace headlight::operations
