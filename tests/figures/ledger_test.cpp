// The ledger and the grid of weighted values: nothing overlaps or is cut off at any width, strips and bars are the numbers', and
// the keys without a row of their own are added up.
#include <gtest/gtest.h>

#include <cmath>

#include "app/views/values/ledger_picture.h"
#include "tests/figures/layout_check.h"

namespace headlight::figures {
namespace {

LedgerInput ledger(std::size_t heads, std::size_t d) {
  LedgerInput input;
  const auto row = [&](const char* sign, std::string name, double length, double before, double running) {
    LedgerInput::Row line;
    line.sign = sign;
    line.name = std::move(name);
    line.vector.assign(d, static_cast<float>(length / std::sqrt(static_cast<double>(d))));
    line.length = length;
    line.cosine = 0.5;
    line.before = before;
    line.running = running;
    return line;
  };
  input.rows.push_back(row("", "E before", 4, 4, 4));
  for (std::size_t head = 0; head < heads; ++head) {
    input.rows.push_back(row("+", "ΔE head " + std::to_string(head), 1, 4, head % 2 ? 3 : 5));
    input.rows.back().part = true;
    input.rows.back().key = "·creature";
    input.rows.back().hue = 3;
    input.rows.back().weight = 0.71;
  }
  input.rows.push_back(row("+", "feed-forward", 2, 5, 6));
  input.rows.back().instead = "no other token";
  input.rows.push_back(row("=", "E after", 6, 6, 6));
  for (const std::size_t at : {std::size_t{0}, input.rows.size() - 1}) input.rows[at].total = input.rows[at].rule = true;
  input.first = static_cast<std::int64_t>(d) / 2;
  input.count = 16;
  input.start = 4;
  input.check = "E before + heads + feed-forward = E after";
  input.difference = "max difference 1.2e-07";
  return input;
}

TEST(LedgerFigure, FitsAtEveryWidth) {
  for (const float width : {560.0f, 700.0f, 850.0f, 1400.0f})
    for (const std::size_t heads : {1u, 8u, 16u}) {
      const LedgerInput input = ledger(heads, 128);
      const Figure figure = ledger_table(input, width, dark(), measure());
      check(figure, width, 2000, "ledger " + std::to_string(static_cast<int>(width)));
      EXPECT_NEAR(figure.height, ledger_frame_height(input) + input.row_height * static_cast<float>(input.rows.size()), 0.5);
    }
}

TEST(LedgerFigure, StripsAndDataAreTheVectors) {
  LedgerInput input = ledger(2, 24);
  input.rows[1].vector[7] = -3;
  const Figure figure = ledger_table(input, 900, dark(), measure());
  std::size_t strips = 0;
  for (const Item& item : figure.items)
    if (const auto* cells = std::get_if<Cells>(&item)) {
      const auto row = static_cast<std::size_t>(cells->tag.a);
      ASSERT_LT(row, input.rows.size());
      EXPECT_EQ(cells->values.at({0, 7}), input.rows[row].vector[7]);
      EXPECT_EQ(cells->high, input.rows[row].part ? input.part_range : input.total_range);
      ++strips;
    }
  EXPECT_EQ(strips, input.rows.size());
  ASSERT_EQ(figure.data.size(), 4u);
  EXPECT_EQ(figure.data[0].values.shape(), (Shape{5, 24}));
  EXPECT_EQ(figure.data[0].values.at({1, 7}), -3);
  EXPECT_EQ(figure.data[1].values.at({3}), 2);
  EXPECT_EQ(figure.data[3].values.at({4}), 6);
}

TEST(LedgerFigure, TheRunningLengthGrowsOrangeAndShrinksBlue) {
  const LedgerInput input = ledger(2, 16);
  const Figure figure = ledger_table(input, 900, dark(), measure());
  std::vector<Box> longer, shorter;
  for (const Item& item : figure.items)
    if (const auto* box = std::get_if<Rectangle>(&item); box && box->box.h == 12) {
      if (box->fill == dark().signed_high) longer.push_back(box->box);
      if (box->fill == dark().signed_low) shorter.push_back(box->box);
    }
  ASSERT_EQ(longer.size(), 2u) << "head 0 and the feed-forward part";
  ASSERT_EQ(shorter.size(), 1u) << "head 1";
  EXPECT_NEAR(longer[0].w, shorter[0].w, 0.01) << "4 to 5 and 4 to 3";
  EXPECT_NEAR(shorter[0].x + shorter[0].w, longer[0].x, 0.01) << "both begin at the length before";
}

WeightedGridInput grid(std::int64_t queries, std::int64_t keys, std::int64_t d) {
  WeightedGridInput input;
  input.weights = Tensor(DType::f64, {queries, keys});
  input.mask = Tensor(DType::u8, {queries, keys});
  input.values = Tensor(DType::f64, {keys, d});
  input.sums = Tensor(DType::f64, {queries, d});
  input.before = Tensor(DType::f64, {queries, d});
  for (std::int64_t i = 0; i < queries; ++i) {
    input.queries.push_back("·word" + std::to_string(i));
    input.shown_queries.push_back(i);
    for (std::int64_t j = 0; j < keys; ++j) {
      input.mask.data<std::uint8_t>()[i * keys + j] = j <= i;
      input.weights.data<double>()[i * keys + j] = j <= i ? 1.0 / static_cast<double>(i + 1) : 0;
    }
  }
  for (std::int64_t j = 0; j < keys; ++j) {
    input.keys.push_back("·word" + std::to_string(j));
    input.shown_keys.push_back(j);
    for (std::int64_t c = 0; c < d; ++c) input.values.data<double>()[j * d + c] = static_cast<double>(j - c) / 10;
  }
  for (std::int64_t i = 0; i < queries; ++i)
    for (std::int64_t c = 0; c < d; ++c)
      for (std::int64_t j = 0; j < keys; ++j)
        input.sums.data<double>()[i * d + c] += input.weights.at({i, j}) * input.values.at({j, c});
  input.current = 1;
  input.dimension = 2;
  input.title = "Head 3: weight × value";
  input.note = "row = query, column = key";
  input.query_axis = "query";
  input.key_axis = "key";
  return input;
}

const Cells* strips_of(const Figure& figure, std::int64_t row) {
  for (const Item& item : figure.items)
    if (const auto* cells = std::get_if<Cells>(&item); cells && cells->tag.kind == Tag::cell_area && cells->tag.a == row)
      return cells;
  return nullptr;
}

TEST(WeightedGridFigure, FitsAndARowAddsUp) {
  for (const float width : {360.0f, 560.0f, 1200.0f})
    check(weighted_grid(grid(6, 3, 16), width, dark(), measure()), width, 900, "grid");
  const WeightedGridInput input = grid(6, 6, 4);
  const Figure figure = weighted_grid(input, 700, dark(), measure());
  for (std::int64_t query = 0; query < 6; ++query)
    for (std::int64_t c = 0; c < 4; ++c) {
      double sum = 0;
      for (std::int64_t key = 0; key < 6; ++key) sum += strips_of(figure, query)->values.at({0, key * 5 + c});
      EXPECT_NEAR(sum, input.sums.at({query, c}), 1e-6);
      EXPECT_NEAR(strips_of(figure, kDelta + query)->values.at({0, c}), sum, 1e-6);
      const GridPlace at = grid_place(query * 5 + c, 4);
      EXPECT_EQ(at.shown, query);
      EXPECT_EQ(at.dimension, c);
    }
  EXPECT_EQ(grid_place(4, 4).dimension, -1) << "the gap between two columns";
}

// A query's strips lie to the right of its name, one below the other, as in every other map.
TEST(WeightedGridFigure, RowsAreQueriesAndColumnsKeys) {
  const Figure figure = weighted_grid(grid(4, 4, 4), 700, dark(), measure());
  float below = 0;
  for (std::int64_t query = 0; query < 4; ++query) {
    const Cells* const strips = strips_of(figure, query);
    ASSERT_NE(strips, nullptr);
    EXPECT_GT(strips->box.y, below);
    below = strips->box.y + strips->box.h;
  }
  float across = 0;
  for (const Item& item : figure.items)
    if (const auto* const text = std::get_if<Text>(&item); text && text->tag.kind == Tag::column) {
      EXPECT_GT(text->at.x, across) << text->text;
      EXPECT_LT(text->at.y, strips_of(figure, 0)->box.y);
      across = text->at.x;
    }
  EXPECT_GT(across, 0) << "keys are named above";
}

TEST(WeightedGridFigure, KeysWithoutAColumnAreOneColumnTogether) {
  WeightedGridInput input = grid(6, 6, 4);
  input.shown_keys = {1, 4};
  const Figure figure = weighted_grid(input, 700, dark(), measure());
  check(figure, 700, 900, "others");
  const Cells* const strips = strips_of(figure, 5);
  ASSERT_NE(strips, nullptr);
  ASSERT_EQ(strips->columns, 3 * 5) << "two keys, and all the others";
  for (std::int64_t c = 0; c < 4; ++c) {
    double sum = 0;
    for (std::int64_t column = 0; column < 3; ++column) sum += strips->values.at({0, column * 5 + c});
    EXPECT_NEAR(sum, input.sums.at({5, c}), 1e-6);
  }
  EXPECT_TRUE(figure.data.empty()) << "made for files alone";
  input.in_file = true;
  const Figure file = weighted_grid(input, 700, dark(), measure());
  ASSERT_EQ(file.data.size(), 2u);
  EXPECT_EQ(file.data[0].values.shape(), (Shape{6, 6, 4}));
}

TEST(WeightedGridFigure, AChangedHeadHasItsOwnSum) {
  WeightedGridInput input = grid(4, 4, 4);
  input.changed = true;
  for (std::int64_t i = 0; i < input.sums.count(); ++i) input.sums.data<double>()[i] *= 2;
  const Figure figure = weighted_grid(input, 700, dark(), measure());
  check(figure, 700, 900, "changed");
  EXPECT_NEAR(2 * strips_of(figure, kSum + 1)->values.at({0, 0}), strips_of(figure, kDelta + 1)->values.at({0, 0}), 1e-6);
}

TEST(DimensionSumFigure, FitsAndHasItsProducts) {
  DimensionSumInput input;
  input.title = "Dimension 55 of ·creature";
  input.words = {"the same number stands in row ΔE head 3 of the ledger", "weights sum to 1.000000"};
  input.rows = {{"a", 0, 0.25, -0.5}, {"·fluffy", 1, 0.5, 0.25}};
  input.other_keys = 3;
  input.others = 0.125;
  input.sum = 0.125;
  for (const float width : {300.0f, 420.0f, 700.0f}) {
    const Figure figure = dimension_sum(input, width, dark(), measure());
    check(figure, width, 400, "dimension");
    EXPECT_EQ(figure.data[0].values.at({0, 2}), -0.125);
  }
}

}  // namespace
}  // namespace headlight::figures
