// The weighted sum of an attention, from given weights.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y[b, h, i, :] = sum over j of weights[b, h, i, j] v[b, h / (heads / kv_heads), j, :].
// in: weights [batch, heads, queries, keys], v [batch, kv_heads, keys, d_v] -> out [batch, heads, queries, d_v].
struct WeighValues {
  std::int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, d_v = 0;
};
template <>
const Kind& kind_of<WeighValues>();

}  // namespace headlight::operations
