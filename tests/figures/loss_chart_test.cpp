// The losses of a training: where the lines are, what stands at them, and what the mouse finds.
#include "app/figures/charts/loss_chart.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/export/figure_text.h"
#include "tests/figures/figure_items.h"

namespace headlight::figures {
namespace {

LossChartInput loss_chart_input_of(int points, double every, std::size_t runs) {
  LossChartInput input;
  input.x_axis = "step";
  input.y_axis = "loss, nat";
  input.held_out_words = "held-out";
  input.training_words = "training";
  for (int i = 0; i < points; ++i) input.steps.push_back(every * i);
  for (std::size_t r = 0; r < runs; ++r) {
    auto& run = input.runs.emplace_back();
    run.label = r == 0 ? "two layers" : "one layer";
    for (int i = 0; i < points; ++i) {
      run.held_out.push_back(r == 0 ? 4 * std::exp(-0.2 * i) : 3.5);
      run.training.push_back(run.held_out.back() + 0.01);
    }
  }
  input.levels = {{"all alike", 4.16}, {"which symbols", 2.56}};
  return input;
}

bool loss_chart_says(const Figure& figure, const std::string& words) {
  for (const Text& text : all<Text>(figure))
    if (text.text == words) return true;
  return false;
}

TEST(LossChart, StepsAreWholeNumbersInGroups) {
  EXPECT_EQ(text::grouped_number(0), "0");
  EXPECT_EQ(text::grouped_number(999), "999");
  EXPECT_EQ(text::grouped_number(1000), "1,000");
  EXPECT_EQ(text::grouped_number(1234567), "1,234,567");
  EXPECT_EQ(text::grouped_number(-1000), "-1,000");
  const Figure figure = loss_chart(loss_chart_input_of(41, 100, 1), 900, 360, dark(), measure());
  EXPECT_TRUE(loss_chart_says(figure, "2,000"));
  EXPECT_TRUE(loss_chart_says(figure, "4,000"));
  for (const Text& text : all<Text>(figure)) EXPECT_EQ(text.text.find("e+"), std::string::npos) << text.text;
}

TEST(LossChart, TheRunInHandIsAmberAndThickTheComparedOneBlue) {
  LossChartInput input = loss_chart_input_of(21, 20, 2);
  input.shown = 10;
  const Figure figure = loss_chart(input, 900, 360, dark(), measure());
  int amber = 0, blue = 0;
  for (const Line& line : all<Line>(figure)) {
    amber += line.color == dark().selected && line.width == 3;
    blue += line.color == dark().info && line.width == 3;
  }
  EXPECT_EQ(amber, 20);
  EXPECT_EQ(blue, 20);
  EXPECT_TRUE(loss_chart_says(figure, "one layer  3.50")) << "each line is named at its end";
  EXPECT_TRUE(loss_chart_says(figure, "all alike"));
  EXPECT_TRUE(loss_chart_says(figure, "3.50")) << "the shown step's loss";
  // No two texts at the right edge lie on each other.
  const auto texts = all<Text>(figure);
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t k = i + 1; k < texts.size(); ++k)
      if (texts[i].horizontal == Align::end && texts[k].horizontal == Align::end && texts[i].at.x == texts[k].at.x) {
        EXPECT_GE(std::abs(texts[i].at.y - texts[k].at.y), 12) << texts[i].text << " and " << texts[k].text;
      }
}

TEST(LossChart, TheMouseFindsTheNearestStepAndTheDataAreAllLosses) {
  const LossChartInput input = loss_chart_input_of(11, 50, 1);
  const Figure figure = loss_chart(input, 600, 300, dark(), measure());
  const float left = kLossLeft, right = 600 - kLossRight;
  EXPECT_EQ(loss_point_at(figure, input, {left, 150}), 0);
  EXPECT_EQ(loss_point_at(figure, input, {right, 150}), 10);
  EXPECT_EQ(loss_point_at(figure, input, {left + (right - left) * 0.52f, 150}), 5);
  EXPECT_EQ(loss_point_at(figure, input, {5, 150}), -1);
  ASSERT_EQ(figure.data.size(), 1u);
  EXPECT_EQ(figure.data[0].values.shape(), (Shape{4, 11}));
  EXPECT_EQ(figure.data[0].values.at({0, 3}), input.runs[0].held_out[3]);
  EXPECT_EQ(figure.data[0].labels[1][10], "500");
  // One point, and none at all, are pictures, too.
  EXPECT_FALSE(loss_chart(loss_chart_input_of(1, 50, 1), 600, 300, dark(), measure()).items.empty());
  EXPECT_FALSE(loss_chart({}, 600, 300, dark(), measure()).items.empty());
}

}  // namespace
}  // namespace headlight::figures
