// A figure drawn at another scale keeps its arrangement, and its numbers stay the same.
#include <gtest/gtest.h>

#include "app/figures/base/compose.h"
#include "app/figures/tokens/chip_rows.h"

namespace headlight::figures {
namespace {

struct Tens : TextMeasure {
  float width(std::string_view text, float size, Font) const override { return static_cast<float>(text.size()) * size * 0.6f; }
  float line_height(float size, Font) const override { return size * 1.2f; }
};

TEST(Scaled, EveryPlaceAndSizeIsMultipliedAndTheDataIsNot) {
  Figure figure;
  figure.width = 200;
  figure.height = 100;
  figure.add(Rectangle{{10, 20, 30, 40}, {}, {}, 2, 6, {Tag::token, 3, 0}});
  figure.add(Line{{1, 2}, {3, 4}, {}, 2});
  figure.add(Curve{{0, 0}, {10, 0}, {10, 10}, {20, 10}, {}, 4, {}});
  figure.add(Disc{{8, 6}, 4, {}, {}});
  Text text;
  text.text = "weight";
  text.at = {50, 60};
  text.size = 16;
  text.max_width = 80;
  figure.add(text);
  figure.data.push_back({"weights", Tensor(DType::f32, {2, 3}), {"query", "key"}, {}});
  const Figure half = scaled(figure, 0.5f);
  EXPECT_EQ(half.width, 100);
  EXPECT_EQ(half.height, 50);
  const auto& box = std::get<Rectangle>(half.items[0]);
  EXPECT_EQ(box.box.x, 5);
  EXPECT_EQ(box.box.h, 20);
  EXPECT_EQ(box.line, 1);
  EXPECT_EQ(box.radius, 3);
  EXPECT_EQ(box.tag.a, 3);
  EXPECT_EQ(std::get<Line>(half.items[1]).to.y, 2);
  EXPECT_EQ(std::get<Curve>(half.items[2]).control2.y, 5);
  EXPECT_EQ(std::get<Curve>(half.items[2]).width, 2);
  EXPECT_EQ(std::get<Disc>(half.items[3]).radius, 2);
  EXPECT_EQ(std::get<Text>(half.items[4]).size, 8);
  EXPECT_EQ(std::get<Text>(half.items[4]).max_width, 40);
  EXPECT_EQ(half.data[0].values.count(), 6);
}

TEST(SlimChips, AreOneThinLineWithoutIds) {
  ChipRowsInput input;
  for (int i = 0; i < 40; ++i) input.chips.push_back({"token", "1234", i % 12, false, false});
  input.slim = true;
  input.rows = 1;
  const Figure figure = chip_rows(input, 600, themes().entries().front(), Tens());
  EXPECT_EQ(figure.height, kSlimChip);
  int ids = 0, counter = 0;
  for (const Item& item : figure.items)
    if (const auto* text = std::get_if<Text>(&item)) {
      ids += text->text == "1234";
      counter += text->text.starts_with("+");
      EXPECT_GE(text->size, 12);
    }
  EXPECT_EQ(ids, 0);
  EXPECT_EQ(counter, 1) << "the rest is counted";
}

}  // namespace
}  // namespace headlight::figures
