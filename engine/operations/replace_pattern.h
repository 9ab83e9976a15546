// Attention weights of some heads replaced: by equal weights, by given ones, or by what is left when single cells are masked.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/operations/operation.h"

namespace headlight::operations {

// in: weights [batch, heads, queries, keys]; mask u8 when has_mask, of rank 4 with sizes 1 or those: 1 = may attend.
// out: the weights that are used instead, the same shape; heads without a change keep theirs.
struct ReplacePattern {
  struct Change {
    std::int64_t head = 0;
    // 1 / n over the n keys that the mask allows; a row that may see no key stays as it is.
    bool uniform = false;
    // Instead of the weights: [queries, keys], row by row, for every sentence; null: none are given.
    std::shared_ptr<const std::vector<double>> given;
    // Then these cells (query, key) become 0, and what is left of their rows is divided by its sum: what softmax makes of a row
    // whose scores there are -inf. A row of which nothing is left is 0.
    std::vector<std::pair<std::int64_t, std::int64_t>> removed;
    bool awaits_given = false;  // `given` belongs here: without it the operation is refused
  };
  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0;
  bool has_mask = false;
  std::vector<Change> changes;  // at most one a head
};
template <>
const Kind& kind_of<ReplacePattern>();

}  // namespace headlight::operations
