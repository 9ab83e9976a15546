// NaN, +∞ and −∞ are seen in every kind of picture, at every size, and counted in its legend.
#include "app/figures/base/non_finite.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "app/export/array_figure.h"
#include "app/export/attention_figure.h"
#include "app/export/cell_colors.h"
#include "app/export/figure_file.h"
#include "app/export/raster.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/legend.h"
#include "app/figures/charts/curves.h"
#include "app/figures/charts/loss_chart.h"
#include "app/figures/charts/stacked_bar.h"
#include "app/views/context/pictures.h"
#include "engine/insight/head_statistics.h"
#include "tests/figures/layout_check.h"
#include "tests/figures/samples.h"

namespace headlight::figures {
namespace {

constexpr float kOddNaN = std::numeric_limits<float>::quiet_NaN(), kOddInf = std::numeric_limits<float>::infinity();
const Color kOddMagenta = color_of(NonFinite::nan), kOddRed = color_of(NonFinite::plus), kOddCyan = color_of(NonFinite::minus);

// Sixty tokens' weights, of which row 10 is NaN.
Tensor odd_sixty() {
  Tensor t(DType::f32, {60, 60});
  for (std::int64_t i = 0; i < t.count(); ++i)
    t.data<float>()[i] = i / 60 == 10 ? kOddNaN : 0.01f + 0.0001f * static_cast<float>(i % 97);
  return t;
}
// 5 x 7 weights: row 1 is NaN, one cell is +∞ and one −∞.
Tensor odd_mixed() {
  Tensor t(DType::f32, {5, 7});
  for (std::int64_t i = 0; i < t.count(); ++i) t.data<float>()[i] = i / 7 == 1 ? kOddNaN : static_cast<float>(i % 5) * 0.1f;
  t.data<float>()[3 * 7 + 2] = kOddInf;
  t.data<float>()[4 * 7 + 6] = -kOddInf;
  return t;
}

Figure odd_picture(const Tensor& values, const std::string& kind, float width = 900, float height = 820) {
  ArrayView array;
  array.name = "mine";
  auto inputs = array_inputs(values, array).value();
  AttentionView view;
  view.kind = kind;
  view.heads = {0};
  view.width = width;
  view.height = height;
  MatrixNature nature = nature_of(values, array);
  if (kind == "heatmap") nature.kind = MatrixNature::numbers;
  return matrix_figure(std::move(inputs), nature, view, dark(), measure()).value();
}

bool odd_says(const Figure& figure, const std::string& words) {
  const auto texts = all<Text>(figure);
  return std::any_of(texts.begin(), texts.end(), [&](const Text& t) { return t.text == words; });
}
// The swatches that the legend has for these cells, by kind.
std::set<std::int64_t> odd_swatches(const Figure& figure) {
  std::set<std::int64_t> kinds;
  for (const Cells& cells : all<Cells>(figure))
    if (cells.tag.kind == Tag::non_finite) kinds.insert(cells.tag.a);
  return kinds;
}

double odd_linear(float c) {
  return c <= 0.04045f ? static_cast<double>(c) / 12.92 : std::pow((static_cast<double>(c) + 0.055) / 1.055, 2.4);
}
// The distance of two colours in CIELAB (D65, 1976).
double odd_distance(Color a, Color b) {
  const auto lab = [](Color c) {
    const double r = odd_linear(c.r), g = odd_linear(c.g), bl = odd_linear(c.b);
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * bl) / 0.95047), y = f(0.2126 * r + 0.7152 * g + 0.0722 * bl),
                 z = f((0.0193 * r + 0.1192 * g + 0.9505 * bl) / 1.08883);
    return std::array{116 * y - 16, 500 * (x - y), 200 * (y - z)};
  };
  const auto p = lab(a), q = lab(b);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

TEST(NonFinite, TheirColoursAreInNoMapAndAreNoGround) {
  // 2.3 is a just noticeable difference; ten times that is told apart at a glance.
  for (const Theme& theme : themes().entries())
    for (const Color own : {kOddMagenta, kOddRed, kOddCyan}) {
      for (const Colormap& map : colormaps().entries())
        for (int i = 0; i <= 255; ++i)
          EXPECT_GT(odd_distance(own, map.at(static_cast<float>(i) / 255, theme)), 23) << map.id << " " << i << " " << theme.id;
      for (const Color ground : {theme.background, theme.panel, theme.masked, theme.masked_hatch})
        EXPECT_GT(odd_distance(own, ground), 23) << theme.id;
      for (const Color other : {kOddMagenta, kOddRed, kOddCyan})
        if (!(other == own)) EXPECT_GT(odd_distance(own, other), 23);
    }
}

TEST(NonFinite, AreCountedInSentences) {
  NonFiniteCount count;
  count.add(odd_sixty(), {});
  ASSERT_EQ(count.lines().size(), 1u);
  EXPECT_EQ(count.lines()[0].words, "60 of 3,600 cells are not a number");
  EXPECT_EQ(count.lines(true)[0].words, "NaN: 60 of 3,600");
  Tensor mask(DType::u8, {60, 60});  // only one of them is seen
  mask.data<std::uint8_t>()[10 * 60 + 3] = 1;
  NonFiniteCount seen;
  seen.add(odd_sixty(), mask);
  EXPECT_EQ(seen.lines()[0].words, "1 of 3,600 cells is not a number");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(NonFinite, NoReductionInAFileHidesThem) {
  const Figure figure = odd_picture(odd_sixty(), "heatmap");
  Cells cells;
  for (const Cells& one : all<Cells>(figure))
    if (one.tag.kind == Tag::cell_area) cells = one;
  ASSERT_EQ(cells.rows, 60);
  for (const Reduction how : {Reduction::max, Reduction::mean})
    for (const std::int64_t side : {60, 20, 7, 1}) {
      cells.reduction = how;
      const CellColors colors = colors_of(cells, dark(), side, side);
      for (std::int64_t r = 0; r < side; ++r)
        for (std::int64_t c = 0; c < side; ++c)
          EXPECT_EQ(colors.at(r, c) == kOddMagenta, r * 60 / side <= 10 && 10 < (r + 1) * 60 / side)
              << side << " " << r << " " << c;
    }
  // A pixel shows NaN before +∞, and that before −∞, whatever the order.
  Cells three = cells;
  three.rows = 1;
  three.columns = 3;
  for (const auto& [values, color] : {std::pair(std::vector<float>{-kOddInf, 5, kOddInf}, kOddRed),
                                      {{kOddInf, kOddNaN, -kOddInf}, kOddMagenta},
                                      {{1, -kOddInf, 2}, kOddCyan}}) {
    three.values = Tensor::of<float>(values, {1, 3});
    EXPECT_EQ(colors_of(three, dark(), 1, 1).at(0, 0), color);
  }
}

TEST(NonFinite, TheHeatmapColoursAndNamesThem) {
  const Figure figure = odd_picture(odd_mixed(), "heatmap");
  check(figure, 900, 820, "NaN and infinities");
  EXPECT_TRUE(odd_says(figure, "7 of 35 cells are not a number"));
  EXPECT_TRUE(odd_says(figure, "1 of 35 cells is +∞"));
  EXPECT_TRUE(odd_says(figure, "1 of 35 cells is −∞"));
  EXPECT_EQ(odd_swatches(figure), (std::set<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(figure.remarks.size(), 3u) << "a command says them, too";
  std::map<std::string, int> written;
  for (const Text& t : all<Text>(figure))
    if (t.tag.part == Part::number) ++written[t.text];
  EXPECT_EQ(written["nan"], 7);
  EXPECT_EQ(written["inf"], 1);
  EXPECT_EQ(written["-inf"], 1);
}

TEST(NonFinite, DotsColourTheirCells) {
  const Figure figure = odd_picture(odd_sixty(), "dots");
  EXPECT_TRUE(odd_says(figure, "60 of 3,600 cells are not a number"));
  EXPECT_EQ(odd_swatches(figure), (std::set<std::int64_t>{3}));
  for (const Cells& cells : all<Cells>(figure))
    if (cells.tag.kind == Tag::cell_area) {
      const CellColors colors = colors_of(cells, dark(), 60, 60);
      for (std::int64_t r = 0; r < 60; ++r) EXPECT_EQ(colors.at(r, 30) == kOddMagenta, r == 10) << r;
    }
  std::int64_t discs = 0;
  for (const Disc& disc : all<Disc>(figure)) discs += disc.tag.part == Part::legend ? 0 : 1;
  EXPECT_LE(discs, 59 * 60) << "none where there is no number";
  EXPECT_GT(discs, 50 * 60);
}

TEST(NonFinite, ArcsDrawThemAndMarkTheirTokens) {
  const Figure figure = odd_picture(odd_mixed(), "arcs");
  EXPECT_TRUE(odd_says(figure, "7 of 35 cells are not a number"));
  EXPECT_FALSE(odd_says(figure, "all weights are drawn"));
  std::map<std::pair<std::int64_t, std::int64_t>, Color> arcs;
  for (const Curve& curve : all<Curve>(figure))
    arcs[{curve.tag.a, curve.tag.b}] = {curve.color.r, curve.color.g, curve.color.b, 1};
  for (std::int64_t c = 0; c < 7; ++c) EXPECT_EQ((arcs[{1, c}]), kOddMagenta) << c;
  EXPECT_EQ((arcs[{3, 2}]), kOddRed);
  EXPECT_EQ((arcs[{4, 6}]), kOddCyan);
  int rows = 0, columns = 0;
  for (const Rectangle& mark : all<Rectangle>(figure))
    if (mark.fill == kOddMagenta || mark.fill == kOddRed || mark.fill == kOddCyan)
      ++(mark.box.x < figure.width / 2 ? rows : columns);
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(columns, 7);
}

TEST(NonFinite, ThousandsOfThemLeaveNoTokenOfTheArcsUnmarked) {
  Tensor values(DType::f32, {300, 300});
  std::fill_n(values.data<float>(), values.count(), kOddNaN);
  const Figure figure = odd_picture(values, "arcs");
  EXPECT_LE(all<Curve>(figure).size(), 600u);
  std::int64_t marks = 0;
  for (const Rectangle& mark : all<Rectangle>(figure)) marks += mark.fill == kOddMagenta ? 1 : 0;
  EXPECT_EQ(marks, 600);
  EXPECT_TRUE(odd_says(figure, "90,000 of 90,000 cells are not a number"));
}

TEST(NonFinite, ThumbnailsKeepAndCountThem) {
  Tensor all_heads(DType::f32, {2, 60, 60});
  std::copy_n(odd_sixty().data<float>(), 3600, all_heads.data<float>() + 3600);
  ArrayView view;
  view.name = "mine";
  const Figure figure = grid_figure(array_grid(all_heads, view).value(), {}, 300, 260, dark(), measure()).value();
  EXPECT_TRUE(odd_says(figure, "60 of 7,200 cells are not a number"));
  int thumbnails = 0;
  for (const Cells& cells : all<Cells>(figure)) {
    if (cells.tag.kind != Tag::thumbnail) continue;
    ++thumbnails;
    const CellColors colors = colors_of(cells, dark(), 12, 12);  // far fewer pixels than cells
    for (std::int64_t r = 0; r < 12; ++r) EXPECT_EQ(colors.at(r, 5) == kOddMagenta, cells.tag.b == 1 && r == 2) << r;
  }
  EXPECT_EQ(thumbnails, 2);
}

TEST(NonFinite, ABlockOfAThumbnailKeepsThem) {
  for (const bool mean : {false, true}) {
    const Reduced small = reduce_to(odd_sixty(), {}, 20, mean);
    for (std::int64_t r = 0; r < 20; ++r) EXPECT_EQ(std::isnan(small.values.at({r, 4})), r == 3) << r;
    EXPECT_EQ(reduce_to(Tensor::of<float>({-kOddInf, 2, 3, kOddInf, 1, -kOddInf}, {1, 6}), {}, 3, mean).values.at({0, 1}),
              kOddInf);
    EXPECT_EQ(reduce_to(Tensor::of<float>({-kOddInf, 2, 3, kOddInf, 1, -kOddInf}, {1, 6}), {}, 3, mean).values.at({0, 0}),
              -kOddInf);
  }
}

// A thumbnail shows blocks, and its cells are counted.
TEST(NonFinite, TheCellsOfBlocksAreCounted) {
  Tensor values(DType::f32, {60, 60});
  std::fill_n(values.data<float>(), 3600, 0.5f);
  for (std::int64_t i = 0; i < 5; ++i) values.data<float>()[i] = kOddNaN;  // in two blocks of three cells a side
  const Reduced small = reduce_to(values, {}, 20);
  GridInput input;
  input.layers = input.heads = 1;
  input.values = {small.values};
  NonFiniteCount count;
  count.add(values, {});
  input.counts = {count};
  input.bare = true;
  EXPECT_EQ(non_finite_in(head_grid(input, 300, 300, dark(), measure())).cells.nan, 5);
  EXPECT_EQ(non_finite_in(head_grid(input, 300, 300, dark(), measure())).cells.cells, 3600);
  input.bare = false;
  EXPECT_TRUE(odd_says(head_grid(input, 300, 300, dark(), measure()), "5 of 3,600 cells are not a number"));
  input.counts.clear();
  EXPECT_EQ(non_finite_in(head_grid(input, 300, 300, dark(), measure())).cells.nan, 2);
}

TEST(NonFinite, TheNeuronViewCountsThem) {
  NeuronInput input;
  input.query_label = "a";
  input.query = Tensor::of<float>({1, kOddNaN, 3}, {3});
  input.keys = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  input.rows = {{0, "b", true, kOddNaN, kOddNaN, kOddNaN}, {1, "c", true, kOddNaN, kOddNaN, kOddNaN}};
  input.total = 2;
  const Figure figure = neuron(input, 900, 500, dark(), measure());
  EXPECT_TRUE(odd_says(figure, "3 of 15 cells are not a number")) << "one of q, two products";
  for (const Rectangle& r : all<Rectangle>(figure)) EXPECT_TRUE(std::isfinite(r.box.w));
}

TEST(NonFinite, ABarWithoutALengthIsWholeInItsColour) {
  Figure figure;
  const Composer pen{figure, dark(), measure()};
  pen.bar({0, 0, 80, 10}, std::nan(""), dark().info);
  ASSERT_EQ(figure.items.size(), 1u);
  EXPECT_EQ(all<Rectangle>(figure)[0].fill, kOddMagenta);
  EXPECT_EQ(all<Rectangle>(figure)[0].box.w, 80);
}

TEST(NonFinite, FilesHaveTheColour) {
  const Figure figure = odd_picture(odd_sixty(), "heatmap", 300, 280);
  const std::string svg = encode_figure(figure, FileKind::svg, dark(), {}).value();
  std::int64_t rectangles = 0;
  for (std::size_t at = svg.find("fill=\"#ff00ff\""); at != std::string::npos; at = svg.find("fill=\"#ff00ff\"", at + 1))
    ++rectangles;
  EXPECT_EQ(rectangles, 61) << "the cells and the legend's swatch";
  const Pixels pixels = rasterise(figure, dark(), 72).value();
  std::int64_t magenta = 0;
  for (std::size_t i = 0; i + 3 < pixels.rgba.size(); i += 4)
    magenta += pixels.rgba[i] == 255 && pixels.rgba[i + 1] == 0 && pixels.rgba[i + 2] == 255 ? 1 : 0;
  EXPECT_GT(magenta, 100);
}

TEST(NonFinite, MinusInfinityOfScoresIsMaskedAndCounted) {
  const Tensor scores = Tensor::of<float>({0, -kOddInf, 2, 1}, {2, 2});
  ArrayView view;
  view.name = "scores";
  HeatmapInput input = array_inputs(scores, view).value()[0];
  EXPECT_EQ(input.mask.at({0, 1}), 0);
  EXPECT_TRUE(odd_says(heatmap(input, 500, 400, dark(), measure()), "−∞, taken as masked: 1 of 4 cells"));
  view.name = "weights";
  const Tensor weights = Tensor::of<float>({0.5f, -kOddInf, 0.2f, 0.8f}, {2, 2});
  input = array_inputs(weights, view).value()[0];
  EXPECT_TRUE(input.mask.empty());
  EXPECT_TRUE(odd_says(heatmap(input, 500, 400, dark(), measure()), "1 of 4 cells is −∞"));
}

TEST(NonFinite, NumbersBeyondSinglePrecisionKeepTheirSize) {
  const Tensor large = Tensor::of<double>({4e299, 1e299, 2e299, 0}, {2, 2});
  ArrayView array;
  array.name = "large";
  for (const std::string kind : {"heatmap", "dots", "arcs"}) {
    AttentionView view;
    view.kind = kind;
    view.heads = {0};
    view.range = "own";
    view.choices.small_numbers = true;
    const Figure figure =
        matrix_figure(array_inputs(large, array).value(),
                      {kind == "heatmap" ? MatrixNature::numbers : MatrixNature::weights, "large"}, view, dark(), measure())
            .value();
    for (const Text& t : all<Text>(figure)) EXPECT_EQ(t.text.find("inf"), std::string::npos) << kind << ": " << t.text;
    EXPECT_TRUE(odd_swatches(figure).empty()) << kind;
    if (kind == "arcs") continue;
    EXPECT_TRUE(odd_says(figure, "4e+299")) << kind << ": the end of the scale";
    if (kind != "heatmap") continue;
    std::vector<std::string> written;
    for (const Text& t : all<Text>(figure))
      if (t.tag.part == Part::number) written.push_back(t.text);
    EXPECT_EQ(written, (std::vector<std::string>{"4e+299", "1e+299", "2e+299", ".00"}));
    for (const Cells& cells : all<Cells>(figure))
      if (cells.tag.kind == Tag::cell_area)
        EXPECT_NEAR(cells.values.at({0, 1}) / cells.values.at({0, 0}), 0.25, 1e-6) << "the colours are in proportion";
  }
}

// The marks of a chart, by kind: how many values they stand for.
std::map<NonFinite, std::int64_t> odd_gaps(const Figure& figure) {
  std::map<NonFinite, std::int64_t> gaps;
  for (const Rectangle& mark : all<Rectangle>(figure))
    if (mark.tag.kind == Tag::gap) {
      EXPECT_EQ(mark.fill, color_of(static_cast<NonFinite>(mark.tag.a)));
      EXPECT_GT(mark.box.w, 0);
      EXPECT_GT(mark.box.h, 0);
      gaps[static_cast<NonFinite>(mark.tag.a)] += mark.tag.b;
    }
  return gaps;
}
using OddGaps = std::map<NonFinite, std::int64_t>;

TEST(NonFinite, GapsOfCurvesAreMarkedAndCounted) {
  for (const int points : {5, 40, 5000}) {  // more than the plot has pixels, too
    CurvesInput input;
    input.x_axis = "x";
    input.y_axis = "y";
    input.curves.resize(2);
    for (int i = 0; i < points; ++i) {
      input.curves[0].y.push_back(i % 10 == 2 ? std::nan("") : i);
      input.curves[1].y.push_back(i == 1 ? -std::numeric_limits<double>::infinity() : 1e300);
    }
    const std::int64_t odd = (points + 7) / 10;
    const Figure figure = curves(input, 480, 320, dark(), measure());
    EXPECT_EQ(odd_gaps(figure), (OddGaps{{NonFinite::nan, odd}, {NonFinite::minus, 1}})) << points;
    const Figure counted = with_counted_cells(figure, dark(), measure());
    EXPECT_TRUE(odd_says(counted, odd == 1 ? "1 value is not a number" : grouped(odd) + " values are not a number"));
    EXPECT_TRUE(odd_says(counted, "1 value is −∞"));
    EXPECT_EQ(counted.remarks.size(), 2u);
    input.curves[0].partial = true;  // not measured
    EXPECT_EQ(odd_gaps(curves(input, 480, 320, dark(), measure())), (OddGaps{{NonFinite::minus, 1}}));
  }
}

TEST(NonFinite, EveryCurveHasALaneForItsGaps) {
  CurvesInput input;
  input.curves.assign(3, {"", {1, std::nan(""), 3}});
  std::set<float> tops;
  for (const Rectangle& mark : all<Rectangle>(curves(input, 480, 320, dark(), measure())))
    if (mark.tag.kind == Tag::gap) tops.insert(mark.box.y);
  EXPECT_EQ(tops.size(), 3u);
}

TEST(NonFinite, TrainingThatBreaksIsSeenInItsLosses) {
  LossChartInput input;
  input.steps = {0, 10, 20, 30};
  input.runs = {{"", {4, 3, std::nan(""), std::nan("")}, {4, 3, std::numeric_limits<double>::infinity(), std::nan("")}}};
  EXPECT_EQ(odd_gaps(loss_chart(input, 400, 300, dark(), measure())), (OddGaps{{NonFinite::nan, 3}, {NonFinite::plus, 1}}));
}

TEST(NonFinite, BarsWithoutALengthAreCounted) {
  StackedBarInput bars;
  bars.parts = {{"a", 0, 0}, {"b", 1, 1}, {"c", 2, 2}};
  bars.bars = {{"one", "", {1, std::nan(""), std::nan("")}}, {"two", "", {1, 2, std::numeric_limits<double>::infinity()}}};
  EXPECT_EQ(odd_gaps(stacked_bar(bars, 500, dark(), measure())), (OddGaps{{NonFinite::nan, 2}, {NonFinite::plus, 1}}));
  ProbesInput probes;
  probes.probes.resize(1);
  probes.probes[0].cosine = {{0.5, std::nan("")}, {std::nan(""), 0.1}};
  EXPECT_EQ(odd_gaps(probe_bars(probes, 500, 300, dark(), measure())), (OddGaps{{NonFinite::nan, 2}}));
  PairCurvesInput pairs;
  pairs.sentences = 2;
  pairs.values = {{0.1, std::nan(""), 0.3}};
  EXPECT_EQ(odd_gaps(pair_curves(pairs, 500, 300, dark(), measure())), (OddGaps{{NonFinite::nan, 1}}));
}

TEST(NonFinite, EachHasAPlace) {
  const Figure figure = odd_picture(odd_mixed(), "heatmap");
  std::vector<std::pair<std::int64_t, std::int64_t>> cells;
  const auto place_of = [&](NonFinite kind, bool gaps, std::int64_t before) {
    return non_finite_place(figure, kind, gaps, before);
  };
  for (std::int64_t n = 0; const auto place = place_of(NonFinite::nan, false, n); ++n) {
    cells.emplace_back(place->row, place->column);
    const Cells& area = std::get<Cells>(figure.items[place->item]);
    EXPECT_NEAR(place->box.x, area.box.x + area.box.w * static_cast<float>(place->column) / 7, 0.01);
    EXPECT_NEAR(place->box.y, area.box.y + area.box.h / 5, 0.01);
  }
  ASSERT_EQ(cells.size(), 7u) << "the legend's swatch is no cell";
  EXPECT_EQ(cells[6], std::pair(std::int64_t{1}, std::int64_t{6}));
  EXPECT_EQ(place_of(NonFinite::plus, false, 0)->column, 2);
  EXPECT_FALSE(place_of(NonFinite::nan, true, 0));
  std::int64_t left = 9;
  EXPECT_FALSE(non_finite_place(figure, NonFinite::nan, false, left));
  EXPECT_EQ(left, 2) << "seven were passed";
}

}  // namespace
}  // namespace headlight::figures
