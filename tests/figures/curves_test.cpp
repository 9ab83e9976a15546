// The line plot: where its points are, what its ticks say, and what the mouse finds.
#include "app/figures/charts/curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "app/export/figure_text.h"
#include "tests/figures/figure_items.h"

namespace headlight::figures {
namespace {

CurvesInput wave(int count) {
  CurvesInput input;
  input.title = "wave";
  input.x_axis = "position";
  input.y_axis = "value";
  CurvesInput::Curve sine{"sine", {}, -1, false}, cosine{"cosine", {}, -1, false};
  for (int i = 0; i < count; ++i) {
    sine.y.push_back(std::sin(0.3 * i));
    cosine.y.push_back(std::cos(0.3 * i));
  }
  input.curves = {sine, cosine};
  return input;
}

Box area(const Figure& figure) { return std::get<Rectangle>(figure.items.back()).box; }

TEST(Curves, PointsStandWhereTheNumbersSay) {
  CurvesInput input = wave(21);
  input.points = true;
  input.y_low = -1;
  input.y_high = 1;
  const Figure figure = curves(input, 600, 300, dark(), measure());
  const Box plot = area(figure);
  const auto discs = all<Disc>(figure);
  ASSERT_EQ(discs.size(), 42u);
  for (int i = 0; i < 21; ++i) {
    const Disc& disc = discs[static_cast<std::size_t>(i)];
    EXPECT_NEAR(disc.centre.x, plot.x + plot.w * static_cast<float>(i) / 20, 0.01);
    EXPECT_NEAR(disc.centre.y, plot.y + plot.h * (1 - (std::sin(0.3 * i) + 1) / 2), 0.01);
    EXPECT_EQ(disc.fill, curve_color(-1, 0, dark()));
  }
  EXPECT_EQ(discs[21].fill, curve_color(-1, 1, dark()));
  EXPECT_NE(curve_color(-1, 0, dark()), dark().selected) << "amber is kept for what is lit";
}

TEST(Curves, DashesAreAsLongInEveryCurveHoweverManyPointsItHas) {
  for (const int count : {3, 21, 33, 400}) {
    CurvesInput input;
    CurvesInput::Curve flat{"flat", std::vector<double>(static_cast<std::size_t>(count), 0.5), -1, true};
    input.y_low = 0;
    input.y_high = 1;
    input.curves = {flat};
    const Figure figure = curves(input, 600, 300, dark(), measure());
    const Box plot = area(figure);
    std::vector<Line> dashes;
    for (const Line& line : all<Line>(figure))
      if (std::abs(line.from.y - (plot.y + plot.h / 2)) < 0.01f && line.color == curve_color(-1, 0, dark()))
        dashes.push_back(line);
    float drawn = 0, end = plot.x;
    int gaps = 0;
    for (const Line& dash : dashes) {
      ASSERT_GE(dash.from.x, end - 0.01f) << count;
      if (dash.from.x - end > 0.1f) {
        EXPECT_NEAR(dash.from.x - end, 4, 0.05) << count;
        ++gaps;
      }
      drawn += dash.to.x - dash.from.x;
      end = dash.to.x;
    }
    EXPECT_NEAR(drawn / plot.w, 5.0 / 9, 0.02) << count;
    EXPECT_NEAR(gaps, plot.w / 9, 2) << count;
    EXPECT_GT(end, plot.x + plot.w - 5) << count;
  }
}

TEST(Curves, LogarithmicAxesPutPowersAtEqualDistances) {
  CurvesInput input;
  input.x = {1, 10, 100, 1000};
  input.curves = {{"cost", {1, 100, 10000, 1000000}, -1, false}};
  input.x_log = input.y_log = input.points = true;
  const Figure figure = curves(input, 500, 300, dark(), measure());
  const Box plot = area(figure);
  const auto discs = all<Disc>(figure);
  ASSERT_EQ(discs.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(discs[static_cast<std::size_t>(i)].centre.x, plot.x + plot.w * static_cast<float>(i) / 3, 0.01);
    EXPECT_NEAR(discs[static_cast<std::size_t>(i)].centre.y, plot.y + plot.h * (1 - static_cast<float>(i) / 3), 0.01);
  }
}

TEST(Curves, AGapIsNoLineAndAllInsideTheFigure) {
  CurvesInput input;
  input.curves = {{"one", {0, 1, std::numeric_limits<double>::quiet_NaN(), 3, 4}, -1, false}};
  input.points = true;
  const Figure figure = curves(input, 400, 240, dark(), measure());
  EXPECT_EQ(all<Disc>(figure).size(), 4u);
  int strokes = 0;
  for (const Line& line : all<Line>(figure)) strokes += line.color == curve_color(-1, 0, dark()) && line.width < 2;
  EXPECT_EQ(strokes, 2) << "0-1 and 3-4, nothing across the gap";
  for (const auto& [w, h] : {std::pair{1200.0f, 500.0f}, {420.0f, 200.0f}, {260.0f, 150.0f}})
    for (const int count : {1, 2, 60, 5000}) {
      CurvesInput some = wave(count);
      some.hot = count / 2;
      const Figure drawn = curves(some, w, h, dark(), measure());
      EXPECT_EQ(drawn.width, w);
      EXPECT_EQ(drawn.height, h);
      EXPECT_LT(drawn.items.size(), 2u * static_cast<std::size_t>(w) * 2 + 200) << "no more pieces than pixels";
      for (const Disc& disc : all<Disc>(drawn)) EXPECT_TRUE((Box{0, 0, w, h}.contains(disc.centre)));
      for (const Line& line : all<Line>(drawn))
        for (const Point p : {line.from, line.to}) EXPECT_TRUE(p.x >= 0 && p.y >= 0 && p.x <= w && p.y <= h);
      for (const Text& text : all<Text>(drawn)) {
        EXPECT_GE(text.size, 12);
        const float wide = text.max_width > 0 ? std::min(text.max_width, measure().width(text.text, text.size, text.font))
                                              : measure().width(text.text, text.size, text.font);
        if (text.rotation != 0) continue;
        const float x = text.at.x - (text.horizontal == Align::start ? 0 : text.horizontal == Align::middle ? wide / 2 : wide);
        EXPECT_GE(x, -0.5f) << text.text;
        EXPECT_LE(x + wide, w + 0.5f) << text.text;
      }
    }
}

TEST(Curves, TokensAsTicksAndTheLitOneInAmber) {
  CurvesInput input;
  input.x_words = {"a", "·fluffy", "·blue", "·creature", "·注意力"};
  input.curves = {{"weight", {.1, .2, .3, .2, .2}, -1, false}};
  input.hot = 3;
  const Figure figure = curves(input, 320, 220, dark(), measure());
  int lit = 0;
  std::size_t words = 0;
  for (const Text& text : all<Text>(figure)) {
    words += std::count(input.x_words.begin(), input.x_words.end(), text.text) > 0;
    if (text.color == dark().selected) {
      ++lit;
      EXPECT_EQ(text.text, "·creature");
    }
  }
  EXPECT_EQ(words, 5u);
  EXPECT_EQ(lit, 1);
  ASSERT_EQ(figure.data.size(), 1u);
  EXPECT_EQ(figure.data[0].labels[1], input.x_words);
}

TEST(Curves, TheMouseFindsTheNearestPoint) {
  const CurvesInput input = wave(11);
  const Figure figure = curves(input, 600, 300, dark(), measure());
  const Box plot = area(figure);
  for (int i = 0; i <= 10; ++i)
    EXPECT_EQ(curve_point_at(figure, input, {plot.x + plot.w * static_cast<float>(i) / 10 + 3, plot.y + 20}), i);
  EXPECT_EQ(curve_point_at(figure, input, {plot.x + 5, plot.y - 40}), -1);
  EXPECT_EQ(curve_point_at(figure, input, {plot.x - 40, plot.y + 5}), -1);
}

TEST(Curves, TheDataIsTheNumbersThemselves) {
  const CurvesInput input = wave(5);
  const Figure figure = curves(input, 600, 300, dark(), measure());
  ASSERT_EQ(figure.data.size(), 1u);
  const Data& data = figure.data[0];
  EXPECT_EQ(data.values.shape(), (Shape{2, 5}));
  EXPECT_EQ(data.axes, (Axes{"curve", "position"}));
  EXPECT_EQ(data.labels[0], (std::vector<std::string>{"sine", "cosine"}));
  EXPECT_EQ(data.values.at({1, 4}), std::cos(1.2));
}

TEST(RoundTicks, OneTwoFive) {
  EXPECT_EQ(round_ticks(0, 10, 6), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(round_ticks(0, 10, 3), (std::vector<double>{0, 5, 10}));
  const auto some = round_ticks(-0.37, 1.12, 5);
  ASSERT_EQ(some.size(), 3u);
  EXPECT_NEAR(some[0], 0, 1e-12);
  EXPECT_NEAR(some[1], 0.5, 1e-12);
  EXPECT_NEAR(some[2], 1, 1e-12);
  EXPECT_EQ(round_ticks(3, 3, 5), (std::vector<double>{3}));
  EXPECT_EQ(power_ticks(1, 1000, 4), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(power_ticks(2, 7, 4), (std::vector<double>{2, 7}));
}

}  // namespace
}  // namespace headlight::figures
