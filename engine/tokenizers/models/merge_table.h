// The merges of a BPE as a table from two pieces to their rank and result, and the replay of them on one word.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/tokenizers/models/vocabulary.h"

namespace headlight::tokenizers {

class MergeTable {
 public:
  struct Part {
    std::int32_t id = -1;     // -1: outside the alphabet, joins with nothing
    std::int64_t length = 0;  // bytes of the input
  };

  // Errors (invalid) name `where` and the merge whose pieces the vocabulary lacks.
  // `prefix` is what a piece inside a word begins with, and is left out where such a piece is the right one of a merge.
  // `tied`: how many merges behind each other have one rank, for all merges; empty: each has a rank of its own.
  // of({{"u", "g"}, {"h", "ug"}}, vocabulary, "merges.txt") needs the pieces u, g, h, ug and hug.
  static Result<MergeTable> of(const std::vector<std::pair<std::string, std::string>>& merges, const Vocabulary& vocabulary,
                               const std::string& where, std::string_view prefix = {},
                               const std::vector<std::int64_t>& tied = {});
  const std::vector<std::pair<std::int32_t, std::int32_t>>& merges() const { return merges_; }

  // Joins neighbours in place: always the pair of lowest rank, the leftmost first, until no pair has a merge. O(n log n).
  // Error: cancelled. With the merges above, the parts h, u, g become the one part hug.
  Status replay(std::vector<Part>& parts, const CancelToken& cancel) const;

 private:
  struct Merge {
    std::int32_t rank, id;
  };
  const Merge* find(std::int32_t left, std::int32_t right) const;
  void replay_short(std::vector<Part>& parts) const;
  Status replay_long(std::vector<Part>& parts, const CancelToken& cancel) const;

  std::vector<std::pair<std::int32_t, std::int32_t>> merges_;
  std::unordered_map<std::uint64_t, Merge> table_;
};

}  // namespace headlight::tokenizers
