// Relative positions with clipping (Shaw et al. 2018, 3.2): the rows of a table that a query meets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "engine/core/status.h"

namespace headlight::operations {

// clip(key - query, -clip, clip) + clip: of 2 clip + 1 rows, the middle one is for a token and itself.
// relative_row(5, 3, 4) gives 2, relative_row(0, 9, 4) gives 8.
inline std::int64_t relative_row(std::int64_t query, std::int64_t key, std::int64_t clip) {
  return std::clamp(key - query, -clip, clip) + clip;
}

// The rows of one query. From the first key to the last one the rows rise by 0 or 1, so that the query meets all rows from
// `first` to `last`.
struct RelativeRows {
  std::int64_t query, clip, first, last;
  RelativeRows(std::int64_t of_query, std::int64_t keys, std::int64_t at_most)
      : query(of_query),
        clip(at_most),
        first(relative_row(of_query, 0, at_most)),
        last(relative_row(of_query, keys - 1, at_most)) {}
  std::int64_t row(std::int64_t key) const { return relative_row(query, key, clip); }
  std::int64_t count() const { return last - first + 1; }
};

// A clip is an integer from 0 to 2^30. check_clip(-1, "RelativeScores") is an error.
inline Status check_clip(std::int64_t clip, const char* operation) {
  if (clip >= 0 && clip <= std::int64_t{1} << 30) return {};
  return invalid("the clip is {}", clip).at(Message::name(operation)).mend("it must be a whole number >= 0");
}

}  // namespace headlight::operations
