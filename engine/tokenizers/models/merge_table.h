// The merges of a BPE as a table from two pieces to their rank and result, and the replay of them on one word.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/tokenizers/models/pair_key.h"
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
  // A table with room for `most` merges, to which add() adds one after the other.
  static MergeTable with_room(std::size_t most);
  // The next merge; of two for one pair the first counts.
  void add(std::int32_t left, std::int32_t right, std::int32_t made) {
    add(left, right, made, static_cast<std::int32_t>(merges_.size()));
  }
  const std::vector<std::pair<std::int32_t, std::int32_t>>& merges() const { return merges_; }

  // Joins neighbours in place: always the pair of lowest rank, the leftmost first, until no pair has a merge. O(n log n).
  // Error: cancelled. With the merges above, the parts h, u, g become the one part hug.
  Status replay(std::vector<Part>& parts, const CancelToken& cancel) const { return replay(parts, nullptr, cancel); }
  // The same, with every join in the order in which they happen. Of h, u, g these are {1, 2, 0, ug} and {0, 1, 1, hug}.
  struct Join {
    std::int64_t left = 0, right = 0;  // of the parts that were given: where the joined ones begin
    std::int32_t rank = 0, id = 0;
  };
  Status replay(std::vector<Part>& parts, std::vector<Join>* joins, const CancelToken& cancel) const;

 private:
  struct Merge {
    std::uint64_t key = kFree;  // the two pieces
    std::int32_t rank = 0, id = 0;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static std::size_t place(std::uint64_t key) { return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 20); }
  const Merge* find(std::int32_t left, std::int32_t right) const {
    if (left < 0 || right < 0) return nullptr;
    const std::uint64_t key = pair_key(left, right);
    for (std::size_t at = place(key) & mask_;; at = (at + 1) & mask_) {
      if (table_[at].key == key) return &table_[at];
      if (table_[at].key == kFree) return nullptr;
    }
  }
  void add(std::int32_t left, std::int32_t right, std::int32_t made, std::int32_t rank);
  void replay_short(std::vector<Part>& parts) const;
  Status replay_long(std::vector<Part>& parts, std::vector<Join>* joins, const CancelToken& cancel) const;

  std::vector<std::pair<std::int32_t, std::int32_t>> merges_;
  std::vector<Merge> table_;  // with open addressing, at most half full
  std::size_t mask_ = 0;
};

}  // namespace headlight::tokenizers
