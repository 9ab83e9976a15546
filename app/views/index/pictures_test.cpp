// The Index lab's pictures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/figures/base/time_text.h"
#include "app/views/index/pictures.h"

namespace headlight::figures {
namespace {

// Eight pixels per character: layouts need no more detail.
struct Ruler final : TextMeasure {
  float width(std::string_view text, float size, Font) const override { return static_cast<float>(text.size()) * size * 0.5f; }
  float line_height(float size, Font) const override { return size * 1.2f; }
};

template <class T>
std::vector<T> all(const Figure& figure) {
  std::vector<T> found;
  for (const Item& item : figure.items)
    if (const T* one = std::get_if<T>(&item)) found.push_back(*one);
  return found;
}

void expect_inside(const Figure& figure, const TextMeasure& measure) {
  for (const Text& text : all<Text>(figure)) {
    if (text.rotation != 0) continue;
    const float w = text.max_width > 0 ? std::min(text.max_width, measure.width(text.text, text.size, text.font))
                                       : measure.width(text.text, text.size, text.font);
    const float x = text.at.x - (text.horizontal == Align::end ? w : text.horizontal == Align::middle ? w / 2 : 0);
    EXPECT_GE(x, -0.5f) << text.text;
    EXPECT_LE(x + w, figure.width + 0.5f) << text.text;
    EXPECT_GE(text.size, 12.0f) << text.text;
  }
}

Tensor square(std::int64_t l, float from) {
  Tensor t(DType::f32, {l, l}, {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i) t.data<float>()[i] = from + static_cast<float>(i);
  return t;
}

TEST(IndexLab, FiveSquaresOnOneScale) {
  IndexTermsInput input;
  for (int i = 0; i < 4; ++i) input.terms[i] = square(8, static_cast<float>(-10 * i));
  input.sum = square(8, -3);
  input.labels = {"a", "p", "p", "l", "e", "·", "·", "·"};
  input.padding = {0, 0, 0, 0, 0, 1, 1, 1};
  input.mask_padding = true;
  input.hot_row = 1;
  input.hot_column = 2;
  const Ruler ruler;
  for (const float width : {1300.0f, 620.0f}) {
    const Figure figure = index_terms(input, width, 320, figures::themes().entries().front(), ruler);
    const auto cells = all<Cells>(figure);
    ASSERT_EQ(cells.size(), 5u);
    for (const Cells& one : cells) {
      EXPECT_EQ(one.high, 63.0f);  // the largest magnitude of all: 63 of the first
      EXPECT_EQ(one.low, -63.0f);
      EXPECT_LE(one.box.x + one.box.w, width);
      EXPECT_EQ(one.box.w, one.box.h);
    }
    // Padding keys are hatched in the sum only.
    EXPECT_EQ(cells[0].mask.rank(), 0);
    ASSERT_EQ(cells[4].mask.count(), 64);
    EXPECT_EQ(cells[4].mask.data<std::uint8_t>()[4], 1);
    EXPECT_EQ(cells[4].mask.data<std::uint8_t>()[5], 0);
    EXPECT_EQ(figure.data.size(), 5u);
    expect_inside(figure, ruler);
  }
}

// Beside the sum are its softmax on its own scale and, below that, its mean as a row; in the file they are arrays, too.
TEST(IndexLab, WeightsAndTheirMeanStandBesideTheSum) {
  IndexTermsInput input;
  for (Tensor& term : input.terms) term = square(8, 0);
  input.sum = square(8, 0);
  input.weights = Tensor(DType::f32, {8, 8}, {}, true);
  input.pooled = Tensor(DType::f32, {8}, {}, true);
  std::fill_n(input.weights.data<float>(), 64, 0.125f);
  std::fill_n(input.pooled.data<float>(), 8, 0.125f);
  input.labels = {"a", "p", "p", "l", "e", "·", "·", "·"};
  input.padding = {0, 0, 0, 0, 0, 1, 1, 1};
  input.mask_padding = true;
  const Ruler ruler;
  for (const float width : {1300.0f, 620.0f}) {
    const Figure figure = index_terms(input, width, 320, themes().entries().front(), ruler);
    const auto cells = all<Cells>(figure);
    ASSERT_EQ(cells.size(), 7u);
    const Cells &weights = cells[5], &mean = cells[6];
    EXPECT_EQ(weights.low, 0);
    EXPECT_EQ(weights.high, 0.125f);
    EXPECT_EQ(weights.colormap, "viridis");
    EXPECT_EQ(weights.box.w, cells[4].box.w);
    EXPECT_GE(mean.box.y, weights.box.y + weights.box.h);
    EXPECT_EQ(mean.box.x, weights.box.x);
    EXPECT_EQ(mean.box.w, weights.box.w);
    EXPECT_EQ(mean.rows, 1);
    EXPECT_EQ(mean.tag.a, 8);
    // Padding keys are hatched, and so are padding queries, which are not in the mean.
    const auto seen = [](const Cells& one, int row, int column) { return one.mask.data<std::uint8_t>()[row * 8 + column]; };
    EXPECT_EQ(seen(weights, 4, 4), 1);
    EXPECT_EQ(seen(weights, 4, 5), 0);
    EXPECT_EQ(seen(weights, 5, 4), 0);
    EXPECT_EQ(seen(cells[4], 5, 4), 1);
    EXPECT_EQ(seen(mean, 0, 4), 1);
    EXPECT_EQ(seen(mean, 0, 5), 0);
    std::set<std::uint64_t> keys;
    for (const Cells& one : cells) keys.insert(one.key);
    EXPECT_EQ(keys.size(), 7u);
    ASSERT_EQ(figure.data.size(), 7u);
    EXPECT_EQ(figure.data[5].name, "weights");
    EXPECT_EQ(figure.data[6].name, "pooled");
    expect_inside(figure, ruler);
  }
}

// Four blocks, each with a name; the block tells where a cell of the table is drawn.
struct Blocks {
  explicit Blocks(const Figure& figure, std::int64_t symbols) : cells(all<Cells>(figure)), n(symbols) {}
  const Cells& of(int row, int column) const { return cells.at((row < n ? 0u : 2u) + (column < n ? 0u : 1u)); }
  Point centre(int row, int column) const {
    const Cells& block = of(row, column);
    const float w = block.box.w / static_cast<float>(block.columns), h = block.box.h / static_cast<float>(block.rows);
    return {block.box.x + (static_cast<float>(column - block.from_column) + 0.5f) * w,
            block.box.y + (static_cast<float>(row - block.from_row) + 0.5f) * h};
  }
  std::vector<Cells> cells;
  std::int64_t n;
};

LookupTableInput small_table() {
  LookupTableInput input;
  input.symbols = 6;
  input.positions = 3;
  input.table = square(9, -20);
  input.ids = {4, 1, 1};
  input.labels = {"d", "a", "a"};
  return input;
}

TEST(IndexLab, TheTableShowsWhatIsLookedUp) {
  LookupTableInput input = small_table();
  input.hot_row = 0;
  input.hot_column = 2;
  const Ruler ruler;
  const Figure figure = lookup_table(input, 500, 460, themes().entries().front(), ruler);
  const Blocks blocks(figure, 6);
  ASSERT_EQ(blocks.cells.size(), 4u);
  // Rows 4 and 6 + 0, columns 1 and 6 + 2.
  std::vector<Point> centres;
  for (const Rectangle& r : all<Rectangle>(figure))
    if (r.line == 2) centres.push_back({r.box.x + r.box.w / 2, r.box.y + r.box.h / 2});
  ASSERT_EQ(centres.size(), 4u);
  std::size_t i = 0;
  for (const int row : {4, 6})
    for (const int column : {1, 8}) {
      EXPECT_NEAR(centres[i].x, blocks.centre(row, column).x, 0.01f);
      EXPECT_NEAR(centres[i].y, blocks.centre(row, column).y, 0.01f);
      ++i;
    }
  // The whole table is drawn once, and tagged by its own rows and columns.
  std::int64_t cells = 0;
  for (const Cells& block : blocks.cells) {
    cells += block.rows * block.columns;
    EXPECT_EQ(block.tag.kind, Tag::cell_area);
    EXPECT_EQ(block.tag.a, block.from_row);
    EXPECT_EQ(block.tag.b, block.from_column);
  }
  EXPECT_EQ(cells, 81);
  std::string words;
  for (const Text& text : all<Text>(figure)) words += text.text + "|";
  for (const char* name : {"symbol · symbol", "symbol · position", "position · symbol", "position · position", "|d|", "|a|"})
    EXPECT_NE(words.find(name), std::string::npos) << name << " in " << words;
  expect_inside(figure, ruler);
}

// The table fills its room: nearly all of the width and of the height.
TEST(IndexLab, TheTableFillsItsPane) {
  const Ruler ruler;
  for (const auto& [width, height] : {std::pair{550.0f, 420.0f}, std::pair{660.0f, 480.0f}, std::pair{400.0f, 700.0f}}) {
    const Figure figure = lookup_table(small_table(), width, height, themes().entries().front(), ruler);
    float right = 0, low = 0;
    for (const Cells& block : all<Cells>(figure)) {
      right = std::max(right, block.box.x + block.box.w);
      low = std::max(low, block.box.y + block.box.h);
    }
    EXPECT_GT(right, width - 16);
    EXPECT_LE(right, width);
    EXPECT_GT(low, height - 30);
    EXPECT_LE(figure.height, height + 2.5f);
  }
}

TEST(IndexLab, BarsAreAsLongAsTheirTimes) {
  TimingBarsInput input;
  input.bars = {{"ISDPA", "float32", 1e-3, 0, 0, "5.7e-08", TimingBarsInput::Bar::Kind::subject},
                {"SDPA", "float32", 4e-3, 0, 0, "4.9e-08", TimingBarsInput::Bar::Kind::rival}};
  input.logarithmic = false;
  const Ruler ruler;
  const Figure figure = timing_bars(input, 700, themes().entries().front(), ruler);
  const auto bars = all<Rectangle>(figure);
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_NEAR(bars[1].box.w / bars[0].box.w, 4, 0.01);
  ASSERT_EQ(figure.data.size(), 2u);
  EXPECT_EQ(figure.data[0].values.data<double>()[3], 4e-3);
  EXPECT_EQ(figure.data[0].labels[0][1], "SDPA, float32");
  EXPECT_EQ(figure.data[1].values.data<double>()[0], 5.7e-8);
  expect_inside(figure, ruler);
  EXPECT_EQ(time_text(1.234e-6), "1.23 µs");
  EXPECT_EQ(time_text(163.2e-6), "163 µs");
  EXPECT_EQ(time_text(999.8e-6), "1.00 ms");
  EXPECT_EQ(time_text(1.05e-3), "1.05 ms");
  EXPECT_EQ(time_text(139.4e-3), "139 ms");
  EXPECT_EQ(time_text(71.6e-3), "71.6 ms");
  EXPECT_EQ(time_text(2.5), "2.50 s");
}

TEST(IndexLab, PartsShareOneBarByTheirTime) {
  TimingBarsInput input;
  input.bars = {{"ISDPA", "float32", 1e-3, 0, 0, "5.7e-08", TimingBarsInput::Bar::Kind::subject}};
  input.parts_label = "where the time goes";
  input.parts = {{"tables", 7.5e-4}, {"look-up", 2.5e-4}};
  input.reached_label = "achieved";
  input.reached = "100 GFLOP/s";
  const Ruler ruler;
  const Figure figure = timing_bars(input, 900, themes().entries().front(), ruler);
  const auto boxes = all<Rectangle>(figure);
  ASSERT_EQ(boxes.size(), 3u);
  EXPECT_NEAR((boxes[1].box.w + 2) / (boxes[2].box.w + 2), 3, 0.01);  // two points of gap
  EXPECT_GT(boxes[2].box.x, boxes[1].box.x + boxes[1].box.w);
  ASSERT_EQ(figure.data.size(), 3u);
  EXPECT_EQ(figure.data[2].values.data<double>()[1], 2.5e-4);
  std::string words;
  for (const Text& text : all<Text>(figure)) words += text.text + "|";
  EXPECT_NE(words.find("tables 750 µs|"), std::string::npos) << words;
  EXPECT_NE(words.find("achieved|100 GFLOP/s|"), std::string::npos) << words;
  expect_inside(figure, ruler);
}

// A part that is too narrow for its name is named below, in its colour.
TEST(IndexLab, NarrowPartsAreNamedBelow) {
  TimingBarsInput input;
  input.bars = {{"ISDPA", "f32", 1e-3, 0, 0, "", TimingBarsInput::Bar::Kind::subject}};
  input.parts_label = "where the time goes";
  input.parts = {{"tables", 9.6e-4}, {"look-up", 3e-5}, {"output", 1e-5}};
  const Ruler ruler;
  const Figure figure = timing_bars(input, 900, themes().entries().front(), ruler);
  const auto boxes = all<Rectangle>(figure);
  ASSERT_EQ(boxes.size(), 6u);  // the bar, three parts, two swatches
  const auto name = [&](const std::string& words) {
    for (const Text& text : all<Text>(figure))
      if (text.text == words) return text;
    ADD_FAILURE() << words;
    return Text{};
  };
  EXPECT_LT(name("tables 960 µs").at.y, boxes[1].box.y + boxes[1].box.h);
  for (const char* words : {"look-up 30.0 µs", "output 10.0 µs"}) EXPECT_GT(name(words).at.y, boxes[1].box.y + boxes[1].box.h);
  // From the right: the last part's swatch first.
  EXPECT_EQ(boxes[4].fill, boxes[3].fill);
  EXPECT_EQ(boxes[5].fill, boxes[2].fill);
  expect_inside(figure, ruler);
}

TEST(IndexLab, OperationsAreCountedWhereNothingIsTimed) {
  TimingBarsInput input;
  input.unit = TimingBarsInput::Unit::operations;
  input.bars = {{"ISDPA", "", 1.97e8, 0, 0, "", TimingBarsInput::Bar::Kind::subject},
                {"SDPA", "", 25.7e9, 0, 0, "", TimingBarsInput::Bar::Kind::plain}};
  const Ruler ruler;
  const Figure figure = timing_bars(input, 700, themes().entries().front(), ruler);
  std::string words;
  for (const Text& text : all<Text>(figure)) words += text.text + "|";
  EXPECT_NE(words.find("197 MFLOP|"), std::string::npos) << words;
  EXPECT_NE(words.find("25.7 GFLOP|"), std::string::npos) << words;
  EXPECT_EQ(words.find("error"), std::string::npos) << words;
  ASSERT_EQ(figure.data.size(), 1u);
  EXPECT_EQ(figure.data[0].name, "operations");
}

// Numbers near 0 have the page's colour: the gaps between cells are drawn, so that they are still visible as cells.
TEST(IndexLab, ZerosAreCellsToo) {
  IndexTermsInput input;
  for (Tensor& term : input.terms) term = Tensor(DType::f32, {8, 8}, {}, true);
  input.sum = Tensor(DType::f32, {8, 8}, {}, true);
  input.labels.assign(8, "·");
  input.padding.assign(8, 1);
  const Ruler ruler;
  const Theme& theme = themes().entries().front();
  const Figure figure = index_terms(input, 1300, 260, theme, ruler);
  std::vector<Box> behind;
  std::size_t squares = 0;
  for (const Item& item : figure.items) {
    if (const auto* box = std::get_if<Rectangle>(&item); box && box->fill == theme.line) behind.push_back(box->box);
    const auto* cells = std::get_if<Cells>(&item);
    if (!cells) continue;
    ++squares;
    ASSERT_EQ(behind.size(), squares) << "drawn before the cells";
    EXPECT_EQ(behind.back().x, cells->box.x);
    EXPECT_EQ(behind.back().y, cells->box.y);
    EXPECT_EQ(behind.back().w, cells->box.w);
    EXPECT_GT(cells->gap, 0);
    EXPECT_GT(cells->box.w, 4.0f * 8) << "gaps need cells larger than 4 points";
  }
  EXPECT_EQ(squares, 5u);
}

// One veil covers what a word does not look up; nothing covers the rest. Its rows and columns are amber bands where they do not
// cross, except along positions, which are all looked up.
TEST(IndexLab, OnlyWhatIsLookedUpIsBright) {
  const Ruler ruler;
  const Theme& theme = themes().entries().front();
  const Figure figure = lookup_table(small_table(), 500, 460, theme, ruler);
  const Blocks blocks(figure, 6);
  ASSERT_EQ(blocks.cells.size(), 4u);
  const std::vector<int> used{1, 4, 6, 7, 8};
  const auto is_used = [&](int i) { return std::find(used.begin(), used.end(), i) != used.end(); };
  for (int row = 0; row < 9; ++row) {
    for (int column = 0; column < 9; ++column) {
      const Point centre = blocks.centre(row, column);
      int veils = 0, bands = 0;
      for (const Rectangle& r : all<Rectangle>(figure)) {
        if (r.fill.a <= 0 || r.fill.a >= 1) continue;
        if (centre.x <= r.box.x || centre.x >= r.box.x + r.box.w || centre.y <= r.box.y || centre.y >= r.box.y + r.box.h)
          continue;
        ++(r.fill.r == theme.selected.r ? bands : veils);
      }
      EXPECT_EQ(veils, is_used(row) && is_used(column) ? 0 : 1) << row << ' ' << column;
      const bool in_band = (is_used(row) && row < 6) || (is_used(column) && column < 6);
      EXPECT_EQ(bands, in_band && !(is_used(row) && is_used(column)) ? 1 : 0) << row << ' ' << column;
    }
  }
}

// The ticks are at the numbers they show: multiples of one step from 0, or powers of ten.
TEST(IndexLab, TheAxisSaysHowLongTheBarsAre) {
  TimingBarsInput input;
  input.bars = {{"ISDPA", "f32", 8e-4, 0, 0, "", TimingBarsInput::Bar::Kind::subject},
                {"SDPA", "f32", 70e-3, 0, 0, "", TimingBarsInput::Bar::Kind::plain, "88×"}};
  const Ruler ruler;
  for (const bool logarithmic : {false, true}) {
    input.logarithmic = logarithmic;
    const Figure figure = timing_bars(input, 700, themes().entries().front(), ruler);
    const auto bars = all<Rectangle>(figure);
    ASSERT_EQ(bars.size(), 2u);
    const auto x_of = [&](const std::string& words) {
      for (const Text& text : all<Text>(figure))
        if (text.text == words) return text.at.x;
      ADD_FAILURE() << words;
      return 0.0f;
    };
    EXPECT_GT(x_of("88×"), bars[1].box.x + bars[1].box.w);
    const float from = bars[1].box.x, end = from + bars[1].box.w;
    if (logarithmic) {
      // From 0.1 ms to the bar's end at 70 ms.
      const float decade = (end - from) / static_cast<float>(std::log10(700.0));
      EXPECT_NEAR(x_of("1 ms"), from + decade, 0.5f);
      EXPECT_NEAR(x_of("10 ms"), from + 2 * decade, 0.5f);
      EXPECT_NEAR(bars[0].box.w, decade * static_cast<float>(std::log10(8.0)), 0.5f);
    } else {
      EXPECT_NEAR(x_of("0"), from, 0.5f);
      EXPECT_NEAR(x_of("20 ms"), from + (end - from) * 2 / 7, 0.5f);
      EXPECT_NEAR(x_of("60 ms"), from + (end - from) * 6 / 7, 0.5f);
    }
    expect_inside(figure, ruler);
  }
}

TEST(IndexLab, TheLineRunsWhereBothAreEqual) {
  WinMapInput input;
  input.across = {1, 2, 4};
  input.up = {16, 32};
  input.model = {0.5, 2, 4, 0.25, 0.5, 2};
  input.measured = {0, 0.9, 0, 0, 0, 0};  // measured: the second one is slower
  input.across_label = "W";
  input.up_label = "n";
  const Ruler ruler;
  const Figure figure = win_map(input, 400, 400, themes().entries().front(), ruler);
  std::vector<Rectangle> cells;
  for (const Rectangle& r : all<Rectangle>(figure))
    if (r.tag.kind == Tag::cell_area) cells.push_back(r);
  ASSERT_EQ(cells.size(), 6u);
  EXPECT_EQ(all<Disc>(figure).size(), 1u);
  // Below: slower, slower (measured), faster; above: slower, slower, faster. One straight line between the second and third
  // column.
  std::vector<Line> lines;
  for (const Line& line : all<Line>(figure)) lines.push_back(line);
  ASSERT_EQ(lines.size(), 2u);
  for (const Line& line : lines) {
    EXPECT_EQ(line.from.x, line.to.x);
    EXPECT_NEAR(line.from.x, cells[2].box.x, 1.0f);
  }
  expect_inside(figure, ruler);
}

}  // namespace
}  // namespace headlight::figures
