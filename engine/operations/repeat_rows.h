// The same rows for every sentence of a batch.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y[t, i] = x[i], t = 0 .. times - 1.
// in: x [count] -> out [times, count].
struct RepeatRows {
  std::int64_t times = 0, count = 0;
};
template <>
const Kind& kind_of<RepeatRows>();

}  // namespace headlight::operations
