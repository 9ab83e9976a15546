// The transpose of a matrix: rows become columns.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// in: x [rows, columns].  out: [columns, rows]
struct Transpose {
  std::int64_t rows = 0, columns = 0;
};
template <>
const Kind& kind_of<Transpose>();

}  // namespace headlight::operations
