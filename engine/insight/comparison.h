// Comparison: two attention matrices over sentences whose tokens may differ are reduced to the tokens they share, and subtracted.
// It needs only tokens, tensors and arithmetic; the caller provides the matrices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// Which tokens of A correspond to which tokens of B.
struct Alignment {
  enum class Kind {
    same,      // token for token
    by_bytes,  // the same text, tokenized differently: the shortest stretches that begin and end at a token boundary of both
    by_token,  // different texts: the longest common subsequence of equal tokens (not necessarily neighbours)
    none,      // nothing in common
  } kind = Kind::none;
  struct Group {
    std::string label;
    std::vector<std::int64_t> a, b;  // never empty
  };
  std::vector<Group> groups;
  std::int64_t left_a = 0, left_b = 0;  // tokens that are in no group
};
// "man bites dog" as man·bites·dog and as man·bit·es·dog: align() gives three groups, whose second one has a = {1}, b = {1, 2}.
Alignment align(const Sentence& a, const Sentence& b);

// The group that contains token `index` of A (of B); -1: no group does. In the example above group_of_b(alignment, 2) gives 1.
std::int64_t group_of_a(const Alignment& alignment, std::int64_t index);
std::int64_t group_of_b(const Alignment& alignment, std::int64_t index);

// How a matrix of tokens is reduced to groups. Weights of a group's keys are added up, and its rows are averaged, so that rows
// still sum to 1 if no token is left out. Scores are averaged over the visible cells.
enum class Quantity { weights, scores };

// One side of a comparison: f32 [queries, keys] with its mask (u8; empty: every cell may be attended).
struct Attended {
  Tensor values, mask;
};

struct HeadDifference {
  Tensor a, b;                   // f32 [row groups, column groups]
  Tensor difference;             // a - b; 0 where the mask is 0
  Tensor mask;                   // u8; 0: hidden in both (weights), or in either (scores)
  double largest = 0, mean = 0;  // of |difference|, over visible cells
  // Weights: half the sum of |difference| in a row, averaged over rows. It is the share of weight that moved to other keys.
  double moved = 0;
  struct Change {
    std::int64_t row = 0, column = 0;  // groups
    double a = 0, b = 0;
  };
  std::vector<Change> changes;  // the largest differences, at most kMostChanges, largest first, without zeros
};
inline constexpr std::size_t kMostChanges = 12;
// Errors: a matrix is smaller than its alignment says (invalid).
// compare({a, {}}, {b, {}}, same, same, Quantity::weights) with rows {.5, .5}, {.5, .5} against {1, 0}, {.5, .5}: moved is .25.
Result<HeadDifference> compare(const Attended& a, const Attended& b, const Alignment& rows, const Alignment& columns,
                               Quantity quantity);

}  // namespace headlight
