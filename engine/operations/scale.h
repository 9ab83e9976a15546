// Every number times one factor: embeddings times the root of their width (Vaswani et al. 2017, 3.4).
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y = factor x, number by number.  in: x [rows, columns].  out: y
struct Scale {
  std::int64_t rows = 0, columns = 0;
  double factor = 1;
};
template <>
const Kind& kind_of<Scale>();

}  // namespace headlight::operations
