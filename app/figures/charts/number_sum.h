// A few numbers of one vector plus as many of another, and their sum: as cells with their numbers.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct NumberSumInput {
  struct Part {
    std::string name;  // "·blue", "place 2"
    std::vector<double> numbers;
  };
  std::vector<Part> parts;  // all but the last are added; the last one is the sum
  std::string rest;         // "… 124 more numbers"
};
inline constexpr float kNumberSum = 58;  // the height of the picture

// As wide as it needs, at most `width`: with less room fewer numbers of each are shown. data: each part's numbers.
// number_sum({{{"a", {1, 2}}, {"b", {3, 4}}, {"a + b", {4, 6}}}, ""}, 600, theme, measure) shows 1 2 + 3 4 = 4 6.
Figure number_sum(const NumberSumInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
