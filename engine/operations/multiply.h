// The product of two arrays number by number: a gate.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// in: a [rows, columns], b [rows, columns].  out: [rows, columns]
struct Multiply {
  std::int64_t rows = 0, columns = 0;
};
template <>
const Kind& kind_of<Multiply>();

}  // namespace headlight::operations
