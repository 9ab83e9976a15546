// Checks for every layout: nothing is outside the figure, no two texts overlap, cells are square between many tokens, few tokens
// all have their labels, numbers and labels come from the data. Measured with the text of the files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "app/export/cell_colors.h"
#include "app/figures/base/axis_labels.h"
#include "app/figures/base/labels.h"
#include "tests/figures/layout_check.h"
#include "tests/figures/samples.h"

namespace headlight::figures {
namespace {

const Cells& cells_of(const Figure& figure) {
  for (const Item& item : figure.items)
    if (const auto* c = std::get_if<Cells>(&item)) return *c;
  throw std::runtime_error("no cells");
}
std::vector<std::string> layout_texts_of(const Figure& figure) {
  std::vector<std::string> out;
  for (const Item& item : figure.items)
    if (const auto* t = std::get_if<Text>(&item)) out.push_back(t->text);
  return out;
}
bool has_text(const Figure& figure, const std::string& text) {
  const auto all = layout_texts_of(figure);
  return std::find(all.begin(), all.end(), text) != all.end();
}

constexpr std::pair<float, float> kBoxes[] = {{1280, 720}, {800, 640}, {640, 520}, {1600, 1000}, {700, 900}, {480, 420}};

TEST(Heatmap, NothingIsCutOffOrLiesOverAnother) {
  for (const auto& [w, h] : kBoxes) {
    for (const bool causal : {false, true}) {
      const auto size = std::to_string(w) + " x " + std::to_string(h);
      for (const std::int64_t n : {1, 2, 3, 8, 13, 20, 60, 128, 300, 1000}) {
        HeatmapInput input = samples::attention(samples::repeated(n), causal);
        check(heatmap(input, w, h, dark(), measure()), w, h, std::to_string(n) + " tokens in " + size);
        input.hot_row = n / 2;
        input.hot_column = n / 3;
        check(heatmap(input, w, h, dark(), measure()), w, h, std::to_string(n) + " tokens, one lit, in " + size);
      }
      check(heatmap(samples::attention(samples::many_scripts(), causal), w, h, dark(), measure()), w, h,
            "many scripts in " + size);
      auto labels = samples::eight_tokens();
      labels[2] = std::string(500, 'w');
      HeatmapInput input = samples::attention(labels, causal);
      input.title = std::string(300, 'T');
      input.note = std::string(300, 'n');
      input.range_words = std::string(300, 'r');
      check(heatmap(input, w, h, dark(), measure()), w, h, "long words in " + size);
    }
  }
}

TEST(Heatmap, CellsAreSquareBetweenManyTokensAndFillTheRoomOtherwise) {
  for (const auto& [w, h] : kBoxes) {
    for (const std::int64_t n : {1, 8, 60, 300}) {
      const Figure figure = heatmap(samples::attention(samples::repeated(n), true), w, h, dark(), measure());
      const Cells& cells = cells_of(figure);
      if (n > kAllNamed) {
        EXPECT_NEAR(cells.box.w, cells.box.h, 0.01) << n;
      } else {
        EXPECT_LE(cells.box.w, 2.51f * cells.box.h) << n;
        EXPECT_LE(cells.box.h, 1.61f * cells.box.w) << n;
      }
      EXPECT_GE(cells.box.w, n == 1 ? 40.0f : 0.25f * std::min(w, h)) << n << " tokens in " << w << " x " << h;
    }
  }
  HeatmapInput input = samples::attention(samples::eight_tokens(), false);
  input.values = Tensor(DType::f32, {8, 64});
  input.column_labels.clear();
  const Figure figure = heatmap(input, 1280, 720, dark(), measure());
  check(figure, 1280, 720, "no labels on one axis");
  EXPECT_GT(cells_of(figure).box.w, 900);
  EXPECT_TRUE(has_text(figure, "0"));
}

// The labels of one axis, by number.
std::map<std::int64_t, const Text*> labels_of(const Figure& figure, Tag::Kind axis) {
  std::map<std::int64_t, const Text*> found;
  for (const Item& item : figure.items)
    if (const auto* t = std::get_if<Text>(&item); t && t->tag.kind == axis) found[t->tag.a] = t;
  return found;
}

// The rooms that the map has in the window at 1600 x 1000, at 1280 x 720 and presented, and on paper.
TEST(Heatmap, UpToTwentyTokensAllHaveTheirLabels) {
  for (const auto& [w, h] : {std::pair(620.0f, 700.0f), {540.0f, 430.0f}, {552.0f, 350.0f}, {900.0f, 820.0f}, {1280.0f, 720.0f}})
    for (const bool legend : {false, true})
      for (std::int64_t n = 1; n <= 20; ++n) {
        if (legend && h < 600) continue;  // on the screen the legend stands elsewhere
        HeatmapInput input = samples::attention(samples::repeated(n), true);
        input.row_labels = input.column_labels = numbered(input.row_labels);
        input.legend = legend;
        const std::string what = std::to_string(n) + " tokens in " + std::to_string(w) + " x " + std::to_string(h);
        const Figure figure = heatmap(input, w, h, dark(), measure());
        check(figure, w, h, what);
        for (const Tag::Kind axis : {Tag::row, Tag::column}) {
          const auto labels = labels_of(figure, axis);
          EXPECT_EQ(labels.size(), static_cast<std::size_t>(n)) << what;
          for (const auto& [i, text] : labels) EXPECT_EQ(text->text, input.row_labels[static_cast<std::size_t>(i)]) << what;
        }
      }
}

TEST(Heatmap, LabelsStandLevelThenOnTwoLinesThenTilted) {
  const auto style = [](float width) {
    HeatmapInput input = samples::attention(std::vector<std::string>(12, "creature"), false);
    input.row_labels = input.column_labels = numbered(input.row_labels);
    input.legend = false;
    const Figure figure = heatmap(input, width, 700, dark(), measure());
    check(figure, width, 700, "twelve creatures in " + std::to_string(width));
    const auto labels = labels_of(figure, Tag::column);
    EXPECT_EQ(labels.size(), 12u) << width;
    std::set<float> heights;
    for (const auto& [i, text] : labels) {
      if (text->rotation > 0) return 3;
      heights.insert(text->at.y);
    }
    return static_cast<int>(heights.size());
  };
  std::vector<int> seen;
  for (float width = 1500; width > 330; width -= 30)
    if (const int now = style(width); seen.empty() || seen.back() != now) seen.push_back(now);
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

TEST(Heatmap, ALowMapHasItsRowLabelsInTwoColumns) {
  HeatmapInput input = samples::attention(samples::repeated(20), true);
  input.row_labels = input.column_labels = numbered(input.row_labels);
  input.legend = false;
  const Figure figure = heatmap(input, 700, 290, dark(), measure());
  check(figure, 700, 290, "a low map");
  std::set<float> ends;
  for (const auto& [i, text] : labels_of(figure, Tag::row)) ends.insert(text->at.x);
  EXPECT_EQ(labels_of(figure, Tag::row).size(), 20u);
  EXPECT_EQ(ends.size(), 2u);
}

TEST(Heatmap, NumbersAreTheValuesInLargeCellsOnly) {
  HeatmapInput input = samples::attention(samples::eight_tokens(), true);
  input.values.data<float>()[8] = 0.4249f;  // row 1, column 0
  input.values.data<float>()[9] = 0.5751f;
  const Figure figure = heatmap(input, 1280, 720, dark(), measure());
  EXPECT_TRUE(has_text(figure, "1.00"));
  EXPECT_TRUE(has_text(figure, ".42"));
  EXPECT_TRUE(has_text(figure, ".58"));
  std::size_t numbers = 0;
  for (const Item& item : figure.items) {
    const auto* t = std::get_if<Text>(&item);
    if (!t || t->text.find('.') == std::string::npos || !cells_of(figure).box.contains(t->at)) continue;
    ++numbers;
    // Its position tells its cell: it must show that cell's value in an ink that is readable on its colour.
    const Cells& cells = cells_of(figure);
    const auto r = static_cast<std::int64_t>((t->at.y - cells.box.y) / cells.box.h * 8),
               c = static_cast<std::int64_t>((t->at.x - cells.box.x) / cells.box.w * 8);
    EXPECT_EQ(t->text, cell_number(input.values.at({r, c})));
    EXPECT_GE(contrast(t->color, colormaps().find("viridis")->at(static_cast<float>(input.values.at({r, c})), dark())), 4.5);
  }
  EXPECT_EQ(numbers, 36u);  // masked cells have none
  EXPECT_FALSE(has_text(heatmap(samples::attention(samples::repeated(60), true), 1280, 720, dark(), measure()), "1.00"));
}

TEST(Heatmap, NumbersAreWrittenInOneWayOrNotAtAll) {
  // One long number makes all of them shorter: none is left out alone.
  HeatmapInput input = samples::attention(samples::repeated(15), false);
  for (std::int64_t i = 0; i < input.values.count(); ++i) input.values.data<float>()[i] = i == 100 ? -1.03f : 0.5f;
  input.low = -2;
  input.high = 2;
  const Figure figure = heatmap(input, 1000, 900, dark(), measure());
  std::size_t numbers = 0;
  for (const Item& item : figure.items) {
    const auto* t = std::get_if<Text>(&item);
    if (t && t->horizontal == Align::middle && t->rotation == 0 && cells_of(figure).box.contains(t->at)) ++numbers;
  }
  EXPECT_GE(cells_of(figure).box.w / 15, 40);
  EXPECT_EQ(numbers, 225u);
}

TEST(Heatmap, CellNumbers) {
  EXPECT_EQ(cell_number(0.424), ".42");
  EXPECT_EQ(cell_number(1), "1.00");
  EXPECT_EQ(cell_number(0), ".00");
  EXPECT_EQ(cell_number(-0.001), ".00");
  EXPECT_EQ(cell_number(-0.07), "-.07");
  EXPECT_EQ(cell_number(-3.456), "-3.46");
  EXPECT_EQ(cell_number(0.999), "1.00");
  EXPECT_EQ(cell_number(9.996), "10.0");
  EXPECT_EQ(cell_number(123.4), "123");
  EXPECT_EQ(cell_number(-1e9), "-1e+09");
  EXPECT_EQ(cell_number(-0.46, 1), "-.5");
  EXPECT_EQ(cell_number(-0.04, 1), ".0");
  EXPECT_EQ(cell_number(-0.4, 0), "0");
  EXPECT_EQ(cell_number(std::nan("")), "nan");
  EXPECT_EQ(cell_number(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Heatmap, TicksAreThinnedAndTheHotOneIsAlwaysThere) {
  EXPECT_EQ(ticks(0, 4, 20, 16, -1), (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(ticks(0, 10, 4, 16, -1), (std::vector<std::int64_t>{0, 5}));
  EXPECT_EQ(ticks(100, 21, 2, 16, -1), (std::vector<std::int64_t>{100, 110, 120}));
  EXPECT_EQ(ticks(0, 30, 2, 16, 13), (std::vector<std::int64_t>{0, 13}));
  EXPECT_EQ(ticks(0, 30, 2, 16, 99), (std::vector<std::int64_t>{0, 10, 20}));
  EXPECT_TRUE(ticks(0, 0, 2, 16, 0).empty());
}

TEST(Heatmap, WhatIsLitIsAmber) {
  HeatmapInput input = samples::attention(samples::repeated(60), true);
  input.hot_row = 31;
  input.hot_column = 17;
  const Figure figure = heatmap(input, 1280, 720, dark(), measure());
  int labels = 0, borders = 0;
  for (const Item& item : figure.items) {
    if (const auto* t = std::get_if<Text>(&item); t && t->color == dark().selected) {
      ++labels;
      EXPECT_TRUE((t->tag.kind == Tag::row && t->tag.a == 31) || (t->tag.kind == Tag::column && t->tag.a == 17));
    }
    if (const auto* r = std::get_if<Rectangle>(&item); r && r->line == 3) {
      ++borders;
      const Cells& cells = cells_of(figure);
      EXPECT_NEAR(r->box.y, cells.box.y + 31 * cells.box.h / 60, 0.01);
      EXPECT_NEAR(r->box.x, cells.box.x + 17 * cells.box.w / 60, 0.01);
    }
  }
  EXPECT_EQ(labels, 2);
  EXPECT_EQ(borders, 1);
}

TEST(Heatmap, AWindowShowsItsPartOfTheMatrix) {
  HeatmapInput input = samples::attention(samples::repeated(300), true);
  for (std::size_t i = 0; i < 300; ++i)
    input.row_labels[i] = "r" + std::to_string(i), input.column_labels[i] = "c" + std::to_string(i);
  input.first_row = 100;
  input.row_count = 20;
  input.first_column = 90;
  input.column_count = 15;
  input.hot_row = 5;  // outside
  const Figure figure = heatmap(input, 1000, 800, dark(), measure());
  check(figure, 1000, 800, "window");
  const Cells& cells = cells_of(figure);
  EXPECT_EQ(cells.rows, 20);
  EXPECT_EQ(cells.columns, 15);
  EXPECT_EQ(cells.tag.a, 100);
  EXPECT_EQ(cells.tag.b, 90);
  // The whole matrix is kept, so that the screen has one texture while the window moves; files take only the window's part.
  EXPECT_EQ(cells.values.shape(), input.values.shape());
  EXPECT_EQ(cells.from_row, 100);
  EXPECT_EQ(cells.from_column, 90);
  const CellColors colors = colors_of(cells, dark(), 20, 15);
  EXPECT_EQ(colors.at(3, 4), colormaps().find("viridis")->at(static_cast<float>(input.values.at({103, 94})), dark()));
  EXPECT_EQ(colors.at(0, 14).a, 0) << "row 100 may not see column 104";
  EXPECT_TRUE(has_text(figure, "r100"));
  EXPECT_TRUE(has_text(figure, "c90"));
  EXPECT_FALSE(has_text(figure, "r5"));
  input.first_row = 101;
  EXPECT_EQ(cells_of(heatmap(input, 1000, 800, dark(), measure())).key, cells.key);
  input.first_row = 290;  // beyond the end: cut
  EXPECT_EQ(cells_of(heatmap(input, 1000, 800, dark(), measure())).rows, 10);
}

TEST(Heatmap, ALargeMatrixCostsFewPrimitives) {
  const Figure figure = heatmap(samples::attention(samples::repeated(2048), true), 1280, 720, dark(), measure());
  EXPECT_LT(figure.items.size(), 200u);
  EXPECT_TRUE(has_text(figure, "each pixel shows the largest of its cells"));
}

TEST(Heatmap, EmptyInputGivesAnEmptyFigure) {
  EXPECT_TRUE(heatmap({}, 300, 200, dark(), measure()).items.empty());
  EXPECT_TRUE(head_grid({}, 300, 200, dark(), measure()).items.empty());
  check(heatmap(samples::attention(samples::eight_tokens(), true), 1280, 720, *themes().find("light"), measure()), 1280, 720,
        "light");
}

TEST(HeadGrid, EveryHeadHasItsPlaceAndNothingIsCutOff) {
  for (const auto& [w, h] : kBoxes) {
    for (const auto& [layers, heads] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {6, 6}, {12, 12}, {2, 16}, {24, 2}}) {
      GridInput input = samples::grid(layers, heads, 6);
      input.selected_layer = layers - 1;
      input.selected_head = 0;
      const Figure figure = head_grid(input, w, h, dark(), measure());
      check(figure, w, h, std::to_string(layers) + " x " + std::to_string(heads));
      std::vector<Tag> tags;
      for (const Item& item : figure.items)
        if (const auto* c = std::get_if<Cells>(&item); c && c->tag.kind == Tag::thumbnail) tags.push_back(c->tag);
      ASSERT_EQ(tags.size(), static_cast<std::size_t>(layers * heads));
      for (std::size_t i = 0; i < tags.size(); ++i) EXPECT_EQ(tags[i].a * heads + tags[i].b, static_cast<std::int64_t>(i));
      input.bare = true;
      check(head_grid(input, w, h, dark(), measure()), w, h, "bare");
    }
  }
}

}  // namespace
}  // namespace headlight::figures
