// The value map of a head: its singular values against the built product's, its rank, and that the heads' maps add up to
// Concat W_O. Expectations are plain loops over the trace's own arrays.
#include "engine/insight/value_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "support/small_sandbox.h"
#include "support/trace_of.h"

namespace headlight {
namespace {

using tests::small_sandbox;
using tests::trace_of;

double square_sum(const Tensor& x) {
  double sum = 0;
  for (const double v : x.values<double>()) sum += v * v;
  return sum;
}

TEST(ValueMap, IsTheProductOfTheHeadsColumnsAndRows) {
  const auto trace = trace_of(small_sandbox());
  ASSERT_TRUE(trace);
  const AttentionSite& site = trace->sites()[1];
  const auto found = value_map(*trace, site, 2);
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  const ValueMap& map = *found;
  EXPECT_EQ(map.d_in, 24);
  EXPECT_EQ(map.d_v, 8);
  EXPECT_EQ(map.d_out, 24);
  EXPECT_EQ(map.numbers(), 2 * 24 * 8);
  EXPECT_EQ(map.full_numbers(), 24 * 24);
  const Tensor w_v = trace->values(map.down_name)->as(DType::f64), w_o = trace->values(map.up_name)->as(DType::f64);
  for (std::int64_t i = 0; i < 24; ++i)
    for (std::int64_t j = 0; j < 24; ++j) {
      double sum = 0;
      for (std::int64_t c = 0; c < 8; ++c) sum += w_v.at({i, 16 + c}) * w_o.at({16 + c, j});
      EXPECT_NEAR(map.map.at({i, j}), sum, 1e-14);
    }
  EXPECT_EQ(map.spectrum.rank, 8);
  EXPECT_EQ(map.heads.size(), 3U);
  EXPECT_NEAR(map.spectrum.norm, std::sqrt(square_sum(map.map)), 1e-13);
}

TEST(ValueMap, SingularValuesOfAProductAreThoseOfTheBuiltMatrix) {
  // diag(3, 2) turned on both sides: the values are 3 and 2 whatever the turns.
  const double a = 0.7, b = 1.9;
  const std::vector<double> down{3 * std::cos(a), -2 * std::sin(a), 3 * std::sin(a), 2 * std::cos(a), 0, 0};
  const std::vector<double> up{std::cos(b), std::sin(b), 0, 0, -std::sin(b), std::cos(b), 0, 0};
  const std::vector<double> found = singular_values_of_product(down, up, 3, 2, 4);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0], 3, 1e-14);
  EXPECT_NEAR(found[1], 2, 1e-14);
  // Columns that are alike give a map of rank 1.
  const Spectrum alike = spectrum_of(singular_values_of_product({1, 1, 2, 2, 0, 0}, {1, 2, 1, 2}, 3, 2, 2), 3);
  EXPECT_EQ(alike.rank, 1);
  EXPECT_NEAR(alike.values[0], 10, 1e-13) << "|(1, 2, 0)| |(1, 2)| times 2";
  EXPECT_NEAR(alike.effective_rank, 1, 1e-12);
  // Wider than both sides.
  EXPECT_EQ(singular_values_of_product({1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 0, 0}, 2, 3, 2).size(), 2U);
  const Spectrum nothing = spectrum_of({0, 0}, 4);
  EXPECT_EQ(nothing.rank, 0);
  EXPECT_EQ(nothing.effective_rank, 0);
}

TEST(ValueMap, EqualValuesHaveTheirCountAsEffectiveRank) {
  EXPECT_NEAR(spectrum_of({2, 2, 2, 2}, 9).effective_rank, 4, 1e-12);
  EXPECT_NEAR(spectrum_of({4, 1}, 9).effective_rank, std::exp(-(0.8 * std::log(0.8) + 0.2 * std::log(0.2))), 1e-12);
}

TEST(ValueMap, AFullRankMapFollowsTheQuarterCircle) {
  const std::int64_t d = 200;
  const std::vector<double> values = full_rank_singular_values(d, 0);
  const Spectrum s = spectrum_of(values, d);
  EXPECT_EQ(s.rank, d);
  EXPECT_NEAR(s.norm, 1, 1e-12);
  // Of independent normal numbers the largest is near 2 / sqrt(d) after the division (Marchenko and Pastur 1967), and the median
  // near 0.808 / sqrt(d), where a quarter circle of radius 2 has half of its area.
  EXPECT_NEAR(values.front() * std::sqrt(static_cast<double>(d)), 2, 0.06);
  EXPECT_NEAR(values[100] * std::sqrt(static_cast<double>(d)), 0.808, 0.04);
  EXPECT_EQ(full_rank_singular_values(d, 0), values);
  CancelSource stop;
  stop.cancel();
  EXPECT_TRUE(full_rank_singular_values(d, 0, stop.token()).empty());
}

TEST(ValueMap, TheHeadsMapsAddUpToConcatTimesTheOutputMatrix) {
  const std::vector<std::function<void(Document&)>> ways{
      [](Document&) {},
      [](Document& d) { d.heads = 1; },
      [](Document& d) { d.score = "additive"; },
      [](Document& d) { d.position = "rotary"; },
      [](Document& d) { d.norm = "post"; },
      [](Document& d) {
        d.targets = {"un chat bleu", "homme"};
        d.model = "sandbox";
      },
  };
  for (std::size_t way = 0; way < ways.size(); ++way) {
    Document d = small_sandbox();
    ways[way](d);
    const auto trace = trace_of(d);
    ASSERT_TRUE(trace);
    for (const AttentionSite& site : trace->sites())
      for (std::int64_t batch = 0; batch < 2; ++batch) {
        const auto sum = value_sum(*trace, site, batch);
        ASSERT_TRUE(sum.ok()) << sum.error().sentence();
        EXPECT_TRUE(sum->equal()) << way << ' ' << site.prefix << ' ' << sum->difference;
        EXPECT_LE(sum->difference, 1e-13);
        EXPECT_GT(sum->largest, 1e-3);
        EXPECT_FALSE(sum->changed);
        // What one row is, by plain loops over weights and values.
        const Tensor weights = trace->values(trace->name_at(site.prefix, Role::weights))->as(DType::f64);
        const Tensor v = trace->values(trace->name_at(site.prefix, Role::v))->as(DType::f64);
        const Tensor w_o = trace->values(value_map(*trace, site, 0)->up_name)->as(DType::f64);
        double own = 0;
        for (std::int64_t h = 0; h < site.heads; ++h)
          for (std::int64_t j = 0; j < site.keys; ++j)
            for (std::int64_t c = 0; c < v.dim(3); ++c)
              own += weights.at({batch, h, 1, j}) * v.at({batch, h, j, c}) * w_o.at({h * v.dim(3) + c, 5});
        EXPECT_NEAR(sum->by_head.at({1, 5}), own, 1e-12);
      }
  }
}

TEST(ValueMap, RelativePositionsAreAPartOfWhatTheHeadsAdd) {
  Document d = small_sandbox();
  d.position = "relative";
  const auto trace = trace_of(d);
  ASSERT_TRUE(trace);
  for (const AttentionSite& site : trace->sites()) {
    const auto sum = value_sum(*trace, site, 0);
    ASSERT_TRUE(sum.ok()) << sum.error().sentence();
    EXPECT_TRUE(sum->equal()) << sum->difference;
    EXPECT_LE(sum->difference, 1e-12);
  }
}

TEST(ValueMap, AnInterventionIsSaidAndMissingMatricesAreNamed) {
  Document d = small_sandbox();
  d.projected = false;
  d.heads = 1;
  const auto bare = trace_of(d);
  ASSERT_TRUE(bare);
  const auto refused = value_map(*bare, bare->sites()[0], 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::unavailable);
  EXPECT_NE(refused.error().sentence().find("W_V and W_O"), std::string::npos) << refused.error().sentence();
  EXPECT_FALSE(value_sum(*bare, bare->sites()[0], 0).ok());
  const auto trace = trace_of(small_sandbox());
  ASSERT_TRUE(trace);
  const auto none = value_map(*trace, trace->sites()[0], 3);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace headlight
