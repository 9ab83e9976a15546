// The pictures that the Positions view alone has: a few numbers added, and a pair of dimensions that turns. Functions from data
// to a Figure; screen and files use the same functions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// A few numbers of one vector plus as many of another, and their sum: as cells with their numbers.
struct NumberSumInput {
  struct Part {
    std::string name;  // "·blue", "place 2"
    std::vector<double> numbers;
  };
  std::vector<Part> parts;  // all but the last are added; the last one is the sum
  std::string rest;         // "… 124 more numbers"
};
inline constexpr float kNumberSum = 58, kNumberSumLine = 30;  // heights: names above their numbers, and beside them

// As wide as it needs, at most `width`: with less room fewer numbers of each are shown. Lower than kNumberSum the names stand
// before their numbers. data: each part's numbers.
// number_sum({{{"a", {1, 2}}, {"b", {3, 4}}, {"a + b", {4, 6}}}, ""}, 600, 58, theme, measure) shows 1 2 + 3 4 = 4 6.
Figure number_sum(const NumberSumInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
// The width in points that a line of it needs for all names and one number of each.
float number_sum_line(const NumberSumInput& input, const TextMeasure& measure);

// One pair of dimensions of a query and of a key, turned by their positions: rotary positions as a picture.
struct TurnedPairInput {
  std::string title;
  std::string query_name, key_name;    // the tokens of the query and of the key
  std::int64_t query = 0, key = 0;     // positions of the query and of the key
  std::array<double, 2> q{}, k{};      // the pair of the query and of the key, before the turn
  double angle = 0;                    // angle of the turn per position, in radians: 10000^(-2 i / d_k), or the model's own
  std::int64_t pair = 0;               // i
  std::int64_t first = 0, second = 1;  // dimensions of the pair: 2 i and 2 i + 1, or i and i + d_k / 2
  std::int64_t positions = 1;          // the vectors are drawn at the positions 0 .. positions - 1
  double all_pairs = 0;                // q . k over all pairs, after the turn
  std::string note;
};

// The pair (a, b) turned by `radians`: (a cos - b sin, a sin + b cos) (Su et al. 2021, eq. 34).
// turned({1, 0}, pi / 2) gives {0, 1} within rounding.
std::array<double, 2> turned(const std::array<double, 2>& pair, double radians);

// A plane with equal axes and 0 in the middle: the circles on which the query's pair and the key's pair turn, each with a mark
// for every position and an arrow to the token's own position. Beside the plane, or below in a narrow room, stands the pair's
// share in the score. Exactly `width` x `height` points. data: "query" and "key", [position, 2].
// turned_pair(input, 640, 360, theme, measure) shows dimensions input.first and input.second.
Figure turned_pair(const TurnedPairInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
