// The network unfolded over a text, its maps of states and gates, and the forms that such networks are used in.
#include "app/figures/recurrence/recurrence_figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/figures/figure_items.h"
#include "tests/figures/layout_check.h"

namespace headlight::figures {
namespace {

// Five letters; four of them are followed by another.
UnfoldedInput hello() {
  UnfoldedInput input;
  const char* const letters[] = {"h", "e", "l", "l", "o"};
  const double losses[] = {0.5, 1.0, 2.0, 0.25};
  input.all = 5;
  for (int t = 0; t < 5; ++t) {
    UnfoldedInput::Column column;
    column.token = letters[t];
    column.hue = t;
    column.guess = t == 1 ? "l" : "o";
    column.share = 0.4;
    if (t < 4) {
      column.follows = std::string("→ ") + letters[t + 1];
      column.loss = losses[t];
      column.right = column.guess == letters[t + 1];
    }
    input.columns.push_back(column);
  }
  input.sum = 3.75;
  input.largest_loss = 2;
  input.selected = 1;
  input.state_names = {"c", "h"};
  input.input_matrix = "W_xh";
  input.output_matrix = "W_hy";
  input.order_words = "3 units, the longest memory on top";
  input.title = "LSTM";
  for (const char* id : {"f", "h"}) {
    UnfoldedInput::Band band;
    band.id = id;
    band.label = id;
    band.range = "0..1";
    band.values = Tensor(DType::f32, {3, 5}, {"unit", "token"});
    for (std::int64_t i = 0; i < 15; ++i) band.values.data<float>()[i] = static_cast<float>(i) / 14;
    band.colormap = *id == 'h' ? "signed" : "viridis";
    band.low = *id == 'h' ? -1 : 0;
    band.key = static_cast<std::uint64_t>(1 + *id);
    input.bands.push_back(band);
  }
  return input;
}

std::vector<std::string> recurrence_texts_of(const Figure& figure) {
  std::vector<std::string> words;
  for (const Text& text : all<Text>(figure)) words.push_back(text.text);
  return words;
}
bool has_recurrence(const std::vector<std::string>& words, const std::string& one) {
  return std::find(words.begin(), words.end(), one) != words.end();
}

TEST(UnfoldedNetwork, EveryTokenHasItsColumnWithWhatFollowsItsLossAndItsGuess) {
  const Figure figure = unfolded_network(hello(), 700, 600, dark(), measure());
  EXPECT_FLOAT_EQ(figure.width, 700);
  EXPECT_FLOAT_EQ(figure.height, 600);
  const auto words = recurrence_texts_of(figure);
  for (const char* expected :
       {"→ e", "→ l", "→ o", ".50", "1.00", "2.00", ".25", "c₁", "h₁", "h₅", "W_xh", "W_hy", "40 %", "nothing yet"})
    EXPECT_TRUE(has_recurrence(words, expected)) << expected;
  EXPECT_TRUE(has_recurrence(words, "sum 3.75") || has_recurrence(words, "Σ 3.75"));
  std::set<std::int64_t> columns;
  for (const Rectangle& box : all<Rectangle>(figure))
    if (box.tag.kind == Tag::column) columns.insert(box.tag.a);
  EXPECT_EQ(columns, (std::set<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(UnfoldedNetwork, TheSameColumnHoldsTheBoxAndTheMapsOfItsToken) {
  const UnfoldedInput input = hello();
  const Figure figure = unfolded_network(input, 700, 600, dark(), measure());
  const auto maps = all<Cells>(figure);
  ASSERT_EQ(maps.size(), 2u);
  const float step_width = (700 - kUnfoldedNames) / 5;
  for (const Cells& map : maps) {
    EXPECT_FLOAT_EQ(map.box.x, kUnfoldedNames);
    EXPECT_NEAR(map.box.w, 5 * step_width, 0.01);
    EXPECT_LE(map.box.y + map.box.h, figure.height);
  }
  EXPECT_LT(maps[0].box.y + maps[0].box.h, maps[1].box.y) << "maps do not overlap";
  EXPECT_EQ(maps[1].tag.a, kBandRows);
  for (const Rectangle& box : all<Rectangle>(figure))
    if (box.tag.kind == Tag::column) {
      EXPECT_GE(box.box.x, kUnfoldedNames + static_cast<float>(box.tag.a) * step_width - 0.01f);
      EXPECT_LE(box.box.x + box.box.w, kUnfoldedNames + static_cast<float>(box.tag.a + 1) * step_width + 0.01f);
    }
}

TEST(UnfoldedNetwork, AttentionsOneStepGoesFromTheChosenTokenToTheLast) {
  UnfoldedInput input = hello();
  const auto way_of = [&](const Figure& figure) {
    // The bracket's level line.
    for (const Line& line : all<Line>(figure))
      if (line.color == dark().info && line.from.y == line.to.y && std::abs(line.to.x - line.from.x) > 20) return line;
    return Line{};
  };
  const float step_width = (700 - kUnfoldedNames) / 5;
  const Line way = way_of(unfolded_network(input, 700, 600, dark(), measure()));
  EXPECT_NEAR(way.from.x, kUnfoldedNames + 1.5f * step_width, 0.01);
  EXPECT_NEAR(way.to.x, kUnfoldedNames + 4.5f * step_width, 0.01);
  input.selected = 4;  // the last one: nothing to reach
  EXPECT_FLOAT_EQ(way_of(unfolded_network(input, 700, 600, dark(), measure())).to.x, 0);
}

TEST(UnfoldedNetwork, WhatIsShownIsItsDataAndALowRoomLeavesTheMapsOut) {
  const Figure figure = unfolded_network(hello(), 700, 600, dark(), measure());
  ASSERT_EQ(figure.data.size(), 3u);
  std::set<std::string> names;
  for (const Data& data : figure.data) names.insert(data.name);
  EXPECT_EQ(names, (std::set<std::string>{"f", "h", "loss"}));
  const Figure low = unfolded_network(hello(), 700, 200, dark(), measure());
  EXPECT_TRUE(all<Cells>(low).empty());
  EXPECT_FLOAT_EQ(low.height, 200);
}

TEST(NetworkForms, AreDrawnWithTheBoxesThatTheyHaveAndGrowWithTheRoom) {
  const std::vector<NetworkForm> forms = {{"one to many", "a caption", {true, false, false}, {true, true, true}},
                                          {"many to one", "a review", {true, true, true}, {false, false, true}}};
  const Figure small = network_forms(forms, 480, 0, dark(), measure()), large = network_forms(forms, 480, 700, dark(), measure());
  for (const Figure* figure : {&small, &large}) {
    EXPECT_FLOAT_EQ(figure->width, 480);
    int boxes[2] = {};
    for (const Rectangle& box : all<Rectangle>(*figure))
      if (box.tag.kind == Tag::link) ++boxes[box.tag.a];
    EXPECT_EQ(boxes[0], 1 + 3 + 3);
    EXPECT_EQ(boxes[1], 3 + 3 + 1);
  }
  EXPECT_GT(large.height, 1.5f * small.height);
  EXPECT_LE(large.height, 700);
}

}  // namespace
}  // namespace headlight::figures
