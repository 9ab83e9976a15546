// The Positions view under the mouse, frame by frame on a null renderer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/export/figure_text.h"
#include "app/figures/base/theme.h"
#include "app/views/positions/data.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using views::placed::State;

Document document_of_words() { return test::small_document("words"); }

struct PositionsRoom : test::Room {
  explicit PositionsRoom(Document document = document_of_words(), State state = {}, float width = 1600, float height = 1000,
                         bool presented = false)
      : test::Room(std::move(document), with(std::move(state), presented), width, height) {}
  static ViewState with(State state, bool presented) {
    ViewState view;
    view.tab = "positions";
    view.presentation = presented;
    view.own.of<State>() = std::move(state);
    return view;
  }
  State& state() { return shell->view().own.of<State>(); }
};

TEST(PositionsPanel, AClickOnAColumnAddsItsCurveAndAnotherTakesItAway) {
  PositionsRoom room;
  for (const char* name : {"positions:heatmap", "positions:curves", "positions:distance", "positions:order", "positions:count"})
    EXPECT_TRUE(room.has(name)) << name;
  const auto at = room.search("positions:heatmap", [&] {
    const auto& value = room.shell->hover.now.value;
    return value.step == "position" && value.index.size() == 2 && value.index[1] == 5;
  });
  ASSERT_GE(at.x, 0) << "no cell of dimension 5";
  EXPECT_EQ(room.shell->hover.now.row, room.shell->hover.now.value.index[0]);
  EXPECT_TRUE(room.state().dimensions.empty()) << "hovering chooses nothing";
  room.click(at.x, at.y);
  const auto dims = room.state().dimensions;
  EXPECT_EQ(std::count(dims.begin(), dims.end(), 5), 1);
  EXPECT_GT(dims.size(), 1u) << "the curves that were there stay";
  room.click(at.x, at.y);
  const auto after = room.state().dimensions;
  EXPECT_EQ(std::count(after.begin(), after.end(), 5), 0);
}

TEST(PositionsPanel, TheTableIsTheTracesAndItsProductsDependOnDistance) {
  PositionsRoom room;
  gl::FigureView figures;
  gl::Fonts fonts;
  const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
  const auto table = views::placed::position_table(context);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->values.shape(), (Shape{64, 16}));
  const auto step = room.shell->published().trace->values("position");
  ASSERT_TRUE(step.ok());
  for (std::int64_t i = 0; i < step->dim(0); ++i)
    for (std::int64_t c = 0; c < 16; ++c) EXPECT_NEAR(table->values.at({i, c}), step->at({i, c}), 1e-6);
  const auto products = views::placed::position_products(context);
  ASSERT_TRUE(products);
  for (std::size_t apart = 0; apart < 64; ++apart) {
    double expected = 0;  // the sum over the eight pairs of dimensions of cos(w * distance)
    for (int i = 0; i < 8; ++i) expected += std::cos(static_cast<double>(apart) * std::pow(10000.0, -2.0 * i / 16));
    EXPECT_NEAR(products->mean[apart], expected, 1e-4);
    EXPECT_NEAR(products->least[apart], products->most[apart], 1e-4);
  }
  EXPECT_NEAR(products->values.at({3, 10}), products->mean[7], 1e-4);
  EXPECT_NEAR(views::placed::wavelength(0, 16), 2 * 3.14159265, 1e-6);
  EXPECT_NEAR(views::placed::wavelength(9, 16), 2 * 3.14159265 * 100, 1e-4);
}

TEST(PositionsPanel, ManBitesDogWithAndWithoutPositions) {
  PositionsRoom room;
  const Document before = room.shell->document();
  room.click_part("positions:order", 0.2f);
  EXPECT_EQ(room.shell->document().texts, (std::vector<std::string>{"man bites dog", "dog bites man"}));
  room.settle();
  gl::FigureView figures;
  gl::Fonts fonts;
  const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
  const auto effects = views::placed::order_effects(context, nullptr);
  ASSERT_TRUE(effects);
  EXPECT_LT(effects->without.largest, 1e-4);
  EXPECT_GT(effects->with.largest, 0.1);
  const auto table = views::placed::order_table(*effects);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0][2].text, "0");
  EXPECT_NE(table.rows[0][3].text, "0");
  room.shell->undo();
  EXPECT_EQ(room.shell->document(), before);
}

// What the button makes is seen at once, also in a window of a lecture hall's size.
TEST(PositionsPanel, TheAnswerAboutOrderIsSeenWithoutScrolling) {
  for (const char* code : {"sinusoidal", "rotary", "relative"}) {
    SCOPED_TRACE(code);
    Document document = document_of_words();
    document.position = code;
    PositionsRoom room(document, {}, 1280, 720);
    if (!room.has("positions:order")) continue;  // a low room of four pictures asks nothing
    room.click_part("positions:order", 0.2f);
    room.settle();
    const auto table = room.part("positions:order table");
    EXPECT_FALSE(table.cut);
    EXPECT_LE(table.y1, room.part("main").y1);
  }
}

TEST(PositionsPanel, EveryCodeAndViewIsDrawn) {
  for (const char* code : {"none", "sinusoidal", "learned"})
    for (const char* view : {"heatmap", "curves", "distance", "no such view"})
      for (const auto& [width, height] : {std::pair{1600.0f, 1000.0f}, {1280.0f, 720.0f}, {640.0f, 400.0f}}) {
        Document document = document_of_words();
        document.position = code;
        // There is no dimension 900.
        PositionsRoom room(document, {.picture = view, .dimensions = {3, 900}, .count = 9999}, width, height);
        if (width > 1000) {  // in a smaller window one would have to scroll, and what is out of sight is not drawn
          EXPECT_EQ(room.has("positions:heatmap"), std::string(code) != "none");
          EXPECT_TRUE(room.has("positions:order"));
        }
        EXPECT_EQ(room.window.errors(), 0);
        room.move(width * 0.2f, height * 0.6f);
        room.move(width * 0.6f, height * 0.6f);
      }
}

// The picture of the sum, in points, in a window of this height.
struct SumPlace {
  bool shown = false;
  float high = 0, end = 0;
};
SumPlace sum_in(float height, bool presented) {
  PositionsRoom room(document_of_words(), {}, 1280, height, presented);
  room.settle();
  EXPECT_EQ(room.window.errors(), 0);
  EXPECT_TRUE(room.has("positions:heatmap"));
  if (!room.has("positions:added")) return {};
  const auto at = room.part("positions:added");
  return {true, at.y1 - at.y0, at.y1};
}

TEST(PositionsPanel, TheSumStaysInALowRoom) {
  for (const bool presented : {false, true})
    for (const float height : {1000.0f, 720.0f, 600.0f}) {
      SCOPED_TRACE(std::to_string(height) + (presented ? " presented" : ""));
      const SumPlace at = sum_in(height, presented);
      ASSERT_TRUE(at.shown);
      EXPECT_LT(at.end, 0.6f * height) << "above the pictures";
    }
  // Somewhere between it has its names beside its numbers.
  bool line = false;
  for (float height = 720; height >= 640; height -= 10) line |= sum_in(height, false).high < sum_in(1000, false).high;
  EXPECT_TRUE(line);
}

TEST(PositionsPanel, ALineOfTheSumHasItsNamesWhole) {
  const figures::FigureText measure;
  const figures::Theme& theme = *figures::themes().find("dark");
  const figures::NumberSumInput input{
      {{"the word creature", {1, 2, 3, 4}}, {"its place, 2", {4, 3, 2, 1}}, {"what the model reads", {5, 5, 5, 5}}},
      "and so on, 16 numbers"};
  const float least = figures::number_sum_line(input, measure);
  for (const float width : {least, least + 160, 1200.0f}) {
    const figures::Figure figure = figures::number_sum(input, width, figures::kNumberSumLine, theme, measure);
    EXPECT_LE(figure.width, width + 0.5f);
    EXPECT_EQ(figure.height, figures::kNumberSumLine);
    for (const auto& item : figure.items) {
      const auto* text = std::get_if<figures::Text>(&item);
      if (!text || text->text.find(' ') == std::string::npos) continue;
      EXPECT_LE(measure.width(text->text, text->size, text->font), text->max_width > 0 ? text->max_width : width) << text->text;
    }
  }
  EXPECT_EQ(figures::number_sum(input, 1200, figures::kNumberSum, theme, measure).height, figures::kNumberSum);
}

TEST(PositionsPanel, TheNumberOfPositionsIsTakenBack) {
  PositionsRoom room;
  room.click_part("positions:count", 0.6f);
  EXPECT_GT(room.state().count, 100);
  room.shell->undo();
  room.settle();
  EXPECT_EQ(room.state().count, 0);
}

}  // namespace
}  // namespace headlight
