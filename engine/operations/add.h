// The sum of two arrays: a residual connection, or positions added to embeddings.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y = a + b, b repeated over leading axes where b_repeats.
// in: a [outer, inner], b [inner] or [outer, inner].  out: [outer, inner]
struct Add {
  std::int64_t outer = 0, inner = 0;
  bool b_repeats = false;
};
template <>
const Kind& kind_of<Add>();

}  // namespace headlight::operations
