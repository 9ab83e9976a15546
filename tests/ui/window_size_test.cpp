// The size at which the window opens.
#include <gtest/gtest.h>

#include "app/window/screen/graphics.h"

namespace headlight::window {
namespace {

TEST(OpeningSize, GrowsWithTheScaleAndStaysOnTheScreen) {
  const auto check = [](double scale, int most_width, int most_height, int width, int height) {
    const OpeningSize size = opening_size(1600, 1000, scale, most_width, most_height);
    EXPECT_EQ(size.width, width) << scale;
    EXPECT_EQ(size.height, height) << scale;
  };
  check(1, 3840, 2400, 1600, 1000);
  check(2, 3840, 2400, 3200, 2000);
  check(1.5, 3840, 2400, 2400, 1500);
  check(2, 2880, 1700, 2880, 1700);
  check(2, 0, 0, 3200, 2000);
}

}  // namespace
}  // namespace headlight::window
