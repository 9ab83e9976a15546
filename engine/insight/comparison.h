// Comparison: two matrices of attention over sentences whose tokens may differ, brought onto the tokens they share, and their
// difference. Only tokens, tensors and arithmetic: where the matrices come from is the caller's business.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// Which tokens of A stand for which tokens of B.
struct Alignment {
  enum class Kind {
    same,      // token for token
    by_bytes,  // the same text cut otherwise: the smallest stretches at whose ends both have a boundary
    by_token,  // another text: the longest common run of equal tokens in order (not necessarily neighbours)
    none,      // nothing in common
  } kind = Kind::none;
  struct Group {
    std::string label;
    std::vector<std::int64_t> a, b;  // never empty
  };
  std::vector<Group> groups;
  std::int64_t left_a = 0, left_b = 0;  // tokens that are in no group
};
Alignment align(const Sentence& a, const Sentence& b);

// The group that holds token `index` of A (of B); -1: none.
std::int64_t group_of_a(const Alignment& alignment, std::int64_t index);
std::int64_t group_of_b(const Alignment& alignment, std::int64_t index);

// What a matrix of tokens becomes on groups: weights to the keys of a group are added and rows of a group averaged, so that rows
// still sum to 1 where nothing is left out; scores are averaged over the cells that may be seen.
enum class Quantity { weights, scores };

// One side: f32 [queries, keys] with its mask (u8, empty: all may attend).
struct Attended {
  Tensor values, mask;
};

struct HeadDifference {
  Tensor a, b;                   // f32 [row groups, column groups]
  Tensor difference;             // a - b; 0 where the mask is 0
  Tensor mask;                   // u8; 0: hidden in both (weights), in either (scores)
  double largest = 0, mean = 0;  // |difference|, over visible cells
  double moved = 0;  // weights: half the sum of |difference| of a row, averaged over rows: the share that went elsewhere
  struct Change {
    std::int64_t row = 0, column = 0;  // groups
    double a = 0, b = 0;
  };
  std::vector<Change> changes;  // the largest, at most kMostChanges, largest first; none that is 0
};
inline constexpr std::size_t kMostChanges = 12;
// Errors: invalid where a matrix is smaller than its alignment says.
Result<HeadDifference> compare(const Attended& a, const Attended& b, const Alignment& rows, const Alignment& columns,
                               Quantity quantity);

}  // namespace headlight
