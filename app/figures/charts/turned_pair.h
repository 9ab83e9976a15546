// One pair of dimensions of a query and of a key, turned by their positions: rotary positions as a picture.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct TurnedPairInput {
  std::string title;
  std::string query_name, key_name;    // the tokens
  std::int64_t query = 0, key = 0;     // their positions
  std::array<double, 2> q{}, k{};      // the pair of each before it turns
  double angle = 0;                    // by which it turns at each position, in radians: 10000^(-2 i / d_k)
  std::int64_t pair = 0;               // i
  std::int64_t first = 0, second = 1;  // its dimensions: 2 i and 2 i + 1, or i and i + d_k / 2
  std::int64_t positions = 1;          // where the vectors are drawn: 0 .. positions - 1
  double all_pairs = 0;                // q . k over all pairs, turned
  std::string note;
};

// The pair (a, b) turned by `radians`: (a cos - b sin, a sin + b cos) (Su et al. 2021, eq. 34).
std::array<double, 2> turned(const std::array<double, 2>& pair, double radians);

// A plane with equal axes, 0 in its middle: the circle on which the query's pair turns, and the key's, each with a mark for every
// position and an arrow to the one where its token stands. Beside it, or below in a narrow room, what the pair adds to the score.
// Exactly `width` x `height` points. data: "query" and "key", [position, 2].
Figure turned_pair(const TurnedPairInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
