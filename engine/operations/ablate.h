// Outputs of heads, or of a part of a layer, that are removed, replaced by their mean over the positions, or scaled.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y[b, g, i, :] = factor[g] x[b, g, i, :], or in an averaged group factor[g] times the mean of x[b, g, j, :] over the sentence's
// own rows j. A factor of 0 gives 0 even where x is infinite; a factor of 1 leaves x as it is.
// in: x [batch, groups, rows, width] -> out: the same shape.
struct Ablate {
  std::int64_t batch = 0, groups = 0, rows = 0, width = 0;
  std::vector<double> factors;        // one a group
  std::vector<char> averaged;         // one a group: 1 where the mean replaces the rows
  std::vector<std::int64_t> lengths;  // of each sentence the number of its own rows; empty: all rows are its own

  bool averages() const;  // whether any group is averaged: then a row depends on all others
};
template <>
const Kind& kind_of<Ablate>();

}  // namespace headlight::operations
