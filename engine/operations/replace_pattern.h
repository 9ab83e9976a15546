// Replaced attention weights of some heads: equal weights, given weights, or the remaining weights after single cells are masked.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/operations/operation.h"

namespace headlight::operations {

// in: weights [batch, heads, queries, keys]; mask u8 if has_mask, of rank 4 with sizes 1 or these: 1 = may attend.
// out: the weights that are used instead, the same shape; heads without a change keep theirs.
struct ReplacePattern {
  struct Change {
    std::int64_t head = 0;
    // 1 / n over the n keys that the mask allows; a row that may see no key stays as it is.
    bool uniform = false;
    // The weights to use instead, [queries, keys], row by row, for every sentence; null: no weights are given.
    std::shared_ptr<const std::vector<double>> given;
    // These cells (query, key) become 0 afterwards, and each of their rows is divided by its remaining sum. Softmax gives the
    // same row from scores of -inf there. A row whose remaining sum is 0 becomes 0.
    std::vector<std::pair<std::int64_t, std::int64_t>> removed;
    bool awaits_given = false;  // `given` must be set: without it the operation is refused
  };
  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0;
  bool has_mask = false;
  std::vector<Change> changes;  // at most one a head
};
template <>
const Kind& kind_of<ReplacePattern>();

}  // namespace headlight::operations
