// Rows of a table: an embedding.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// in: table [table_rows, d], ids i32 [rows].  out: [rows, d]. An id outside the table is an error.
struct Gather {
  std::int64_t rows = 0, table_rows = 0, d = 0;
};
template <>
const Kind& kind_of<Gather>();

}  // namespace headlight::operations
