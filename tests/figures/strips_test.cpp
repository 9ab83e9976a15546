// Stacked bars and strips: widths are the numbers' shares, sums are below their parts, the numbers are in the data.
#include "app/figures/charts/strips.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/export/figure_text.h"
#include "app/figures/base/stack.h"
#include "app/figures/charts/stacked_bar.h"
#include "app/figures/charts/table.h"
#include "tests/figures/figure_items.h"

namespace headlight::figures {
namespace {

std::vector<Rectangle> segments(const Figure& figure) {
  std::vector<Rectangle> list;
  for (const Rectangle& r : all<Rectangle>(figure))
    if (r.tag.kind == Tag::column) list.push_back(r);
  return list;
}

StackedBarInput bars() {
  StackedBarInput input;
  input.title = "What it gathers";
  input.parts = {{"a", 0, 0}, {"·fluffy", 1, 1}, {"·blue", 3, 3}};
  input.bars = {{"weight", "Σ = 1", {.5, .3, .2}}, {"along the sum", "|sum| = 2", {3, -1, 0}}};
  return input;
}

TEST(StackedBar, WidthsAreSharesAndNegativesGoLeft) {
  const Figure figure = stacked_bar(bars(), 800, dark(), measure());
  const auto parts = segments(figure);
  ASSERT_EQ(parts.size(), 5u) << "three of the first bar, two of the second: a zero has no width";
  float room = 0;
  for (int i = 0; i < 3; ++i) room += parts[static_cast<std::size_t>(i)].box.w + 1;
  EXPECT_NEAR(parts[0].box.w + 1, room * .5f, 0.1);
  EXPECT_NEAR(parts[1].box.w + 1, room * .3f, 0.1);
  EXPECT_NEAR(parts[2].box.w + 1, room * .2f, 0.1);
  EXPECT_NEAR(parts[1].box.x, parts[0].box.x + parts[0].box.w + 1, 0.01);
  EXPECT_EQ(parts[0].fill, dark().hues[0]);
  EXPECT_EQ(parts[2].fill, dark().hues[3]);
  EXPECT_EQ(parts[2].tag.a, 3);
  EXPECT_NEAR(parts[3].box.w + 1, room * .75f, 0.1);
  EXPECT_NEAR(parts[4].box.w + 1, room * .25f, 0.1);
  EXPECT_LT(parts[4].box.x, parts[3].box.x) << "what pulls against the sum stands left of zero";
  EXPECT_NEAR(parts[4].box.x, parts[0].box.x, 0.1);
  ASSERT_EQ(figure.data.size(), 1u);
  EXPECT_EQ(figure.data[0].values.at({1, 1}), -1);
  EXPECT_EQ(figure.data[0].labels[1][2], "·blue");
}

TEST(StackedBar, WhatIsTooSmallIsCountedTogether) {
  StackedBarInput input;
  input.bars = {{"weight", "Σ = 1", {}}};
  for (int i = 0; i < 1000; ++i) {
    input.parts.push_back({"t" + std::to_string(i), i % 12, i});
    input.bars[0].values.push_back(i == 0 ? .5 : .5 / 999);
  }
  const Figure figure = stacked_bar(input, 700, dark(), measure());
  EXPECT_EQ(segments(figure).size(), 1u);
  bool said = false;
  for (const Text& text : all<Text>(figure)) said |= text.text == "999 others";
  EXPECT_TRUE(said);
}

TEST(StackedBar, FitsItsWidthAtEverySize) {
  for (const float width : {260.0f, 500.0f, 1400.0f}) {
    const Figure figure = stacked_bar(bars(), width, dark(), measure());
    EXPECT_EQ(figure.width, width);
    for (const Rectangle& r : all<Rectangle>(figure)) {
      EXPECT_GE(r.box.x, -0.01f);
      EXPECT_LE(r.box.x + r.box.w, width + 0.01f);
      EXPECT_LE(r.box.y + r.box.h, figure.height);
    }
  }
}

StripsInput sum_of_two() {
  StripsInput input;
  input.title = "The sum";
  input.left_title = "v";
  input.right_title = "weight × v";
  StripsInput::Row a, b, sum;
  a.label = "a";
  a.token = true;
  a.hue = 0;
  a.index = 4;
  a.left = {1, -2, 3};
  a.middle = "× .50 =";
  a.right = {.5f, -1, 1.5f};
  b = a;
  b.label = "·注意力";
  b.index = 7;
  b.left = {0, 4, 2};
  b.right = {0, 2, 1};
  sum.sum = true;
  sum.label = "sum";
  sum.right = {.5f, 1, 2.5f};
  input.rows = {a, b, sum};
  input.left_range = 4;
  input.right_range = 2.5f;
  input.left_words = "v";
  input.right_words = "weight × v";
  return input;
}

TEST(Strips, PartsStandOverTheirSumInTheSameColumn) {
  const Figure figure = strips(sum_of_two(), 700, dark(), measure());
  const auto cells = all<Cells>(figure);
  ASSERT_EQ(cells.size(), 3u) << "v of both, weight × v of both, the sum";
  EXPECT_EQ(cells[0].values.shape(), (Shape{2, 3}));
  EXPECT_EQ(cells[1].values.shape(), (Shape{2, 3}));
  EXPECT_EQ(cells[2].values.shape(), (Shape{1, 3}));
  EXPECT_EQ(cells[1].box.x, cells[2].box.x);
  EXPECT_EQ(cells[1].box.w, cells[2].box.w);
  EXPECT_GT(cells[1].box.x, cells[0].box.x + cells[0].box.w);
  EXPECT_GE(cells[2].box.y, cells[1].box.y + cells[1].box.h);
  EXPECT_EQ(cells[0].high, 4);
  EXPECT_EQ(cells[2].low, -2.5f);
  EXPECT_NE(cells[1].key, cells[2].key);
  EXPECT_NE(cells[0].key, cells[1].key);
  EXPECT_EQ(cells[1].tag.b, kRightStrips);
  EXPECT_EQ(cells[2].tag.a, 2) << "its place in the rows";
  for (int c = 0; c < 3; ++c)
    EXPECT_FLOAT_EQ(static_cast<float>(cells[1].values.at({0, c}) + cells[1].values.at({1, c})),
                    static_cast<float>(cells[2].values.at({0, c})));
  ASSERT_EQ(figure.data.size(), 2u);
  EXPECT_EQ(figure.data[0].values.shape(), (Shape{2, 3}));
  EXPECT_EQ(figure.data[1].values.shape(), (Shape{3, 3}));
  EXPECT_EQ(figure.data[1].labels[0], (std::vector<std::string>{"a", "·注意力", "sum"}));
}

TEST(Strips, EverythingInsideAndReadable) {
  for (const float width : {320.0f, 560.0f, 1200.0f}) {
    StripsInput input = sum_of_two();
    input.hot = 7;
    const Figure figure = strips(input, width, dark(), measure());
    for (const Cells& cells : all<Cells>(figure)) {
      EXPECT_GE(cells.box.x, 0);
      EXPECT_LE(cells.box.x + cells.box.w, width + 0.5f);
      EXPECT_LE(cells.box.y + cells.box.h, figure.height);
    }
    for (const Text& text : all<Text>(figure)) {
      EXPECT_GE(text.size, 12);
      if (text.text == "·注意力") {
        EXPECT_GE(text.size, 15);
        EXPECT_EQ(text.color, dark().selected);
      }
    }
  }
}

TableInput changes() {
  using Tone = TableInput::Tone;
  TableInput input;
  input.title = "Largest changes";
  input.columns = {{"query", true, false}, {"A", false, true}, {"A - B", false, true}};
  input.rows = {{{"·creature", Tone::plain, 0, 0}, {".42", Tone::quiet, 0, .42}, {"+.32", Tone::plain, 1, .32}},
                {{"·注意力", Tone::plain, 0, 0}, {".10", Tone::quiet, 0, .1}, {"-.16", Tone::plain, -.5, -.16}}};
  input.note = "in words";
  return input;
}

TEST(Table, NumbersEndInOneLineAndBarsAreTheirShares) {
  const Figure figure = table(changes(), 420, dark(), measure());
  std::vector<float> ends;
  for (const Text& text : all<Text>(figure))
    if (text.text == "+.32" || text.text == "-.16") ends.push_back(text.at.x);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0], ends[1]);
  std::vector<Rectangle> bars;
  for (const Rectangle& r : all<Rectangle>(figure))
    if (r.fill == dark().signed_high || r.fill == dark().signed_low) bars.push_back(r);
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_NEAR(bars[1].box.w, bars[0].box.w / 2, 0.01);
  EXPECT_EQ(bars[1].fill, dark().signed_low);
  ASSERT_EQ(figure.data.size(), 1u);
  EXPECT_EQ(figure.data[0].values.shape(), (Shape{2, 2}));
  EXPECT_EQ(figure.data[0].values.at({1, 1}), -.16);
  EXPECT_EQ(figure.data[0].labels[0][1], "·注意力");
  for (const float width : {180.0f, 420.0f, 1200.0f}) {
    const Figure drawn = table(changes(), width, dark(), measure());
    for (const Text& text : all<Text>(drawn)) {
      EXPECT_GE(text.size, 12);
      EXPECT_LE(text.at.x, width + 0.5f) << text.text;
      EXPECT_LE(text.at.y, drawn.height);
    }
  }
}

TEST(Stack, MovesEverythingAndKeepsTheData) {
  const Figure one = stacked_bar(bars(), 400, dark(), measure()), two = strips(sum_of_two(), 500, dark(), measure());
  const Figure both = stacked({one, two}, 20, 16);
  EXPECT_EQ(both.width, 532);
  EXPECT_EQ(both.height, one.height + 20 + two.height + 32);
  EXPECT_EQ(both.items.size(), one.items.size() + two.items.size());
  EXPECT_EQ(both.data.size(), 3u);
  const auto before = all<Cells>(two), after = all<Cells>(both);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].box.x, before[i].box.x + 16);
    EXPECT_EQ(after[i].box.y, before[i].box.y + 16 + one.height + 20);
  }
}

}  // namespace
}  // namespace headlight::figures
