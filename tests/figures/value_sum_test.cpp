// The sum of all heads beside the model's own: the title of their difference says the scale that it has.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/views/values/map_picture.h"
#include "tests/figures/figure_items.h"

namespace headlight::figures {
namespace {

TEST(ValueSum, ADifferenceWithinRoundingHasNoScaleOfItsOwn) {
  ValueSumInput input;
  input.labels = {"a", "blue"};
  input.by_head = input.concat = Tensor::of(std::vector<float>{1, -2, 3, -4}, {2, 2});
  input.difference = Tensor::of(std::vector<float>{0, 1e-6f, 0, 0}, {2, 2});
  input.largest = 4;
  const auto says = [&](const std::string& words) {
    const Figure figure = value_sum_picture(input, 1200, 400, *themes().find("dark"), measure());
    const auto texts = all<Text>(figure);
    return std::any_of(texts.begin(), texts.end(), [&](const Text& text) { return text.text == words; });
  };
  input.largest_difference = 4;
  EXPECT_TRUE(says("difference"));
  EXPECT_FALSE(says("difference, on a scale of its own"));
  input.largest_difference = 0.5f;
  EXPECT_TRUE(says("difference, on a scale of its own"));
}

}  // namespace
}  // namespace headlight::figures
