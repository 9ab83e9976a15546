#include "engine/insight/explain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/insight/head_statistics.h"
#include "engine/operations/attention_fill.h"
#include "tests/support/small_trace.h"

namespace headlight {
namespace {

using tests::three_words;

std::string all_lines(const std::vector<ExplainSection>& sections) {
  std::string text;
  for (const auto& section : sections)
    for (const auto& line : section.lines) text += line.text + "\n";
  return text;
}

TEST(ExplainCell, WritesOutTheThreeWordExample) {
  const auto trace = three_words(false);
  const auto e = explain_cell(*trace, {"layer.0.", 0, 0, 2, 0});
  ASSERT_TRUE(e.ok()) << e.error().sentence();
  EXPECT_EQ(e->products, (std::vector<double>{1, 1}));
  EXPECT_EQ(e->dot, 2);
  EXPECT_EQ(e->dot_in_trace, 2);
  EXPECT_EQ(e->scale, 1);
  EXPECT_EQ(e->query_label, "·both");
  EXPECT_EQ(e->key_label, "one");
  // Printed in the material to four digits.
  EXPECT_NEAR(e->row[0].weight, 0.2447, 5e-5);
  EXPECT_NEAR(e->row[1].weight, 0.0900, 5e-5);
  EXPECT_NEAR(e->row[2].weight, 0.6652, 5e-5);
  EXPECT_NEAR(e->weight, e->weight_in_trace, 1e-15);  // the same operations in double; the sum is in another order
  EXPECT_NEAR(e->row_sum, 1, 1e-15);
  // weight v W_O with W_O = 2 I; the row's sum is twice the material's output row.
  EXPECT_NEAR(e->delta[0], 2 * e->weight * 1, 1e-15);
  EXPECT_NEAR(e->delta[1], 2 * e->weight * 2, 1e-15);
  EXPECT_NEAR(e->row_delta[0], 2 * 3.1758, 1e-4);
  EXPECT_NEAR(e->row_delta[1], 2 * 1.8199, 1e-4);
  EXPECT_EQ(e->residual_step, "input");
  // cos((1,2), (1,1)) = 3 / sqrt(10)
  EXPECT_NEAR(e->delta_cosine, 3 / std::sqrt(10.0), 1e-12);
  EXPECT_NE(all_lines(e->sections).find("no mask"), std::string::npos);
}

TEST(ExplainCell, EveryCellAgreesWithTheTrace) {
  for (const bool causal : {false, true}) {
    const auto trace = three_words(causal);
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = 0; j < 3; ++j) {
        const auto e = explain_cell(*trace, {"layer.0.", 0, 0, i, j});
        ASSERT_TRUE(e.ok()) << e.error().sentence();
        EXPECT_NEAR(e->dot, e->dot_in_trace, 1e-15);
        EXPECT_NEAR(e->weight, e->weight_in_trace, 1e-15);
        EXPECT_EQ(e->visible, !causal || j <= i);
        if (!e->visible) {
          EXPECT_EQ(e->weight, 0.0);
        }
      }
  }
}

TEST(ExplainCell, SaysWhyACellIsMasked) {
  const auto trace = three_words(true);
  const auto hidden = explain_cell(*trace, {"layer.0.", 0, 0, 0, 2});
  ASSERT_TRUE(hidden.ok());
  EXPECT_NE(all_lines(hidden->sections).find("key 2 > query 0: causal forbids"), std::string::npos);
  EXPECT_NE(all_lines(hidden->sections).find("replaced by -∞"), std::string::npos);
  EXPECT_EQ(hidden->delta_norm, 0);
  EXPECT_TRUE(std::isnan(hidden->delta_cosine));  // a vector of length 0 has no direction
  const auto seen = explain_cell(*trace, {"layer.0.", 0, 0, 2, 1});
  ASSERT_TRUE(seen.ok());
  EXPECT_NE(all_lines(seen->sections).find("key 1 ≤ query 2: causal allows"), std::string::npos);
}

TEST(ExplainCell, FullyMaskedRowIsZerosOrUniform) {
  for (const auto fill : {operations::MaskFill::minus_infinity, operations::MaskFill::minus_1e9}) {
    const auto trace = three_words(true, fill);
    Tensor mask(DType::u8, {1, 1, 3, 3});  // every cell is masked
    trace->sites_[0].mask.parts = {{{"custom", {}}, mask}};
    trace->sites_[0].mask.mask = mask;
    const auto e = explain_cell(*trace, {"layer.0.", 0, 0, 1, 1});
    ASSERT_TRUE(e.ok());
    EXPECT_TRUE(e->row_fully_masked);
    const double expected = fill == operations::MaskFill::minus_infinity ? 0.0 : 1.0 / 3;
    for (const auto& term : e->row) EXPECT_DOUBLE_EQ(term.weight, expected);
  }
}

TEST(ExplainCell, CopiesAsTextAndNamesWhatIsNotThere) {
  const auto trace = three_words(true);
  const std::string text = to_text(*explain_cell(*trace, {"layer.0.", 0, 0, 2, 2}));
  for (const char* part :
       {"·both → ·both", "1 dot product", "products: 1.0000 2.0000", "= 3.0000", "4 softmax", "random weights"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(explain_cell(*trace, {"layer.7.", 0, 0, 0, 0}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(explain_cell(*trace, {"layer.0.", 0, 0, 3, 0}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(explain_cell(*trace, {"layer.0.", 0, 1, 0, 0}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(explain_cell(*trace, {"layer.0.", -1, 0, 0, 0}).error().kind, ErrorKind::not_found);
}

TEST(ExplainCell, StrongestCell) {
  const auto cell = strongest_cell(*three_words(false), "layer.0.", 0, 0);
  ASSERT_TRUE(cell.ok());
  EXPECT_EQ(cell->query, 2);
  EXPECT_EQ(cell->key, 2);
  // Under a causal mask the first row has weight 1 on its only key, which does not count as strongest.
  const auto causal = strongest_cell(*three_words(true), "layer.0.", 0, 0);
  ASSERT_TRUE(causal.ok());
  EXPECT_GT(causal->query, 0);
}

TEST(ExplainToken, NamesBytesAndFirstNumbers) {
  const auto trace = three_words(false);
  const auto e = explain_token(*trace, false, 0, 1);
  ASSERT_TRUE(e.ok()) << e.error().sentence();
  EXPECT_EQ(e->id, 11);
  EXPECT_EQ(e->bytes, "20 74 77 6f");
  EXPECT_EQ(e->embedding, (std::vector<double>{0, 1}));
  EXPECT_TRUE(e->position_code.empty());
  std::string numbers;  // no number is left out where no position is added
  for (const ExplainSection& section : e->sections) numbers += section.title.substr(0, 1);
  EXPECT_EQ(numbers, "123");
  EXPECT_NE(to_text(*e).find("bytes 3..7"), std::string::npos);
  EXPECT_FALSE(explain_token(*trace, true, 0, 0).ok());
  EXPECT_FALSE(explain_token(*trace, false, 0, 3).ok());
}

TEST(NumberText, SaysSomethingAtEverySize) {
  EXPECT_EQ(number_text(162.67941), "162.6794");
  EXPECT_EQ(number_text(-0.0), "0.0000");
  EXPECT_EQ(number_text(0.00001234), "1.23e-05");
  EXPECT_EQ(number_text(-1e9), "-1e+09");
  EXPECT_EQ(number_text(-INFINITY), "-∞");
  EXPECT_EQ(number_text(NAN), "NaN");
}

// n x n causal weights by a rule, with the mask.
template <class F>
HeadStatistics causal_head(std::int64_t n, F weight, std::vector<std::int32_t> ids = {}) {
  Tensor w(DType::f32, {n, n}), mask(DType::u8, {n, n});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) {
      mask.data<std::uint8_t>()[i * n + j] = 1;
      w.data<float>()[i * n + j] = static_cast<float>(weight(i, j));
    }
  if (ids.empty())
    for (std::int64_t i = 0; i < n; ++i) ids.push_back(static_cast<std::int32_t>(i));
  return head_statistics(w, mask, ids);
}

TEST(HeadStatistics, NamesTheOldKnownHeads) {
  const auto previous = causal_head(6, [](auto i, auto j) { return j == std::max<std::int64_t>(0, i - 1) ? 1.0 : 0.0; });
  EXPECT_EQ(previous.words, "previous-token head (score 1.00)");
  EXPECT_DOUBLE_EQ(previous.distance, 1);
  EXPECT_DOUBLE_EQ(previous.entropy, 0);
  EXPECT_EQ(previous.rows, 5);  // row 0 sees one key and does not count
  EXPECT_EQ(causal_head(6, [](auto, auto j) { return j == 0 ? 1.0 : 0.0; }).pattern, "first-token head");
  EXPECT_EQ(causal_head(6, [](auto i, auto j) { return i == j ? 1.0 : 0.0; }).pattern, "self head");
}

TEST(HeadStatistics, AnEvenHeadIsNotNamedForItsChance) {
  const auto even = causal_head(8, [](auto i, auto) { return 1.0 / static_cast<double>(i + 1); });
  EXPECT_EQ(even.pattern, "even");
  EXPECT_NEAR(even.relative_entropy, 1, 1e-6);  // f32 weights
  // Mean over rows 1..7 of ln(i + 1).
  double nats = 0, chance = 0;
  for (int i = 2; i <= 8; ++i) {
    nats += std::log(i) / 7;
    chance += 1.0 / i / 7;
  }
  EXPECT_NEAR(even.entropy, nats, 1e-6);
  EXPECT_NEAR(even.chance, chance, 1e-12);
  // With two tokens half the weight on each is chance, not a first-token head.
  EXPECT_NE(causal_head(2, [](auto i, auto) { return 1.0 / static_cast<double>(i + 1); }).pattern, "first-token head");
}

TEST(HeadStatistics, InductionNeedsARepetition) {
  // a b c a b c: each later token attends to what followed its earlier occurrence.
  const auto head =
      causal_head(6, [](auto i, auto j) { return i < 3 ? (j == i ? 1.0 : 0.0) : (j == i - 2 ? 1.0 : 0.0); }, {1, 2, 3, 1, 2, 3});
  EXPECT_DOUBLE_EQ(head.induction, 1);
  EXPECT_EQ(head.pattern, "induction head");
  EXPECT_TRUE(std::isnan(causal_head(4, [](auto i, auto j) { return i == j ? 1.0 : 0.0; }).induction));
}

TEST(HeadStatistics, OneTokenAndNothing) {
  const auto one = causal_head(1, [](auto, auto) { return 1.0; });
  EXPECT_EQ(one.rows, 0);
  EXPECT_TRUE(one.pattern.empty());
  EXPECT_EQ(head_statistics(Tensor(), Tensor(), {}).rows, 0);
}

TEST(ReduceTo, KeepsTheLargestOfEachBlock) {
  Tensor values(DType::f32, {5, 4}), mask(DType::u8, {5, 4});
  values.data<float>()[4 * 4 + 3] = 9;  // the last, shorter block
  values.data<float>()[1 * 4 + 1] = 2;
  mask.data<std::uint8_t>()[0] = 1;
  values.data<float>()[0] = 1;
  const Reduced all = reduce_to(values, Tensor(), 3);
  EXPECT_EQ(all.block, 2);
  ASSERT_EQ(all.values.shape(), (Shape{3, 2}));
  EXPECT_EQ(all.values.at({0, 0}), 2);
  EXPECT_EQ(all.values.at({2, 1}), 9);
  EXPECT_EQ(reduce_to(values, Tensor(), 3, true).values.at({0, 0}), 0.75) << "the mean of 1, 0, 0 and 2";
  // Only cells that may be attended to count.
  const Reduced small = reduce_to(values, mask, 3);
  EXPECT_EQ(small.values.at({0, 0}), 1);
  EXPECT_EQ(small.values.at({2, 1}), 0);
  EXPECT_EQ(small.mask.at({0, 0}), 1);
  EXPECT_EQ(small.mask.at({2, 1}), 0);
  EXPECT_EQ(reduce_to(values, mask, 5).block, 1);
}

}  // namespace
}  // namespace headlight
