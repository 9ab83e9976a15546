// Attention rollout against a product written out here, and its general properties.
#include "engine/insight/rollout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/insight/heads_together.h"
#include "tests/support/small_trace.h"

namespace headlight {
namespace {

using Rows = std::vector<std::vector<double>>;

// Three layers with two heads of arbitrary weights over `n` tokens; causal ones do not see later tokens.
std::shared_ptr<tests::SmallTrace> layers_of(std::int64_t n, bool causal) {
  auto trace = std::make_shared<tests::SmallTrace>();
  for (int layer = 0; layer < 3; ++layer) {
    Tensor weights(DType::f64, {1, 2, n, n});
    for (std::int64_t h = 0; h < 2; ++h)
      for (std::int64_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::int64_t j = 0; j < (causal ? i + 1 : n); ++j) {
          const double x = std::exp(2 * std::sin(static_cast<double>(layer * 31 + h * 17 + i * 7 + j * 3)));
          weights.data<double>()[(h * n + i) * n + j] = x;
          sum += x;
        }
        for (std::int64_t j = 0; j < n; ++j) weights.data<double>()[(h * n + i) * n + j] /= sum;
      }
    AttentionSite site;
    site.prefix = "layer." + std::to_string(layer) + ".";
    site.layer = layer;
    site.heads = 2;
    site.queries = site.keys = n;
    trace->put(site.prefix + "weights", weights);
    trace->sites_.push_back(site);
  }
  return trace;
}

std::vector<const AttentionSite*> sites_of(const tests::SmallTrace& trace, std::size_t count) {
  std::vector<const AttentionSite*> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(&trace.sites_[i]);
  return list;
}

// A'_n ... A'_0 as in the paper, from the top layer down.
Rows product_of(const tests::SmallTrace& trace, std::size_t count, std::int64_t n) {
  Rows result;
  for (std::size_t layer = count; layer-- > 0;) {
    const Tensor& w = trace.values_.at("layer." + std::to_string(layer) + ".weights");
    Rows a(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n)));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
            0.5 * (w.at({0, 0, i, j}) + w.at({0, 1, i, j})) / 2 + (i == j ? 0.5 : 0.0);
    if (result.empty()) {
      result = a;
      continue;
    }
    Rows next(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n)));
    for (std::size_t i = 0; i < next.size(); ++i)
      for (std::size_t k = 0; k < next.size(); ++k)
        for (std::size_t j = 0; j < next.size(); ++j) next[i][j] += result[i][k] * a[k][j];
    result = next;
  }
  return result;
}

TEST(Rollout, IsTheProductOfTheLayersWithTheResidual) {
  for (const bool causal : {false, true})
    for (const std::int64_t n : {1, 2, 5, 33})
      for (const std::size_t layers : {1u, 2u, 3u}) {
        SCOPED_TRACE(std::to_string(n) + " tokens, " + std::to_string(layers) + " layers");
        const auto trace = layers_of(n, causal);
        const auto rollout = attention_rollout(*trace, sites_of(*trace, layers), 0);
        ASSERT_TRUE(rollout.ok()) << rollout.error().sentence();
        const Rows expected = product_of(*trace, layers, n);
        for (std::int64_t i = 0; i < n; ++i) {
          double sum = 0;
          for (std::int64_t j = 0; j < n; ++j) {
            EXPECT_NEAR(rollout->at({i, j}), expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], 2e-6);
            sum += rollout->at({i, j});
            if (causal && j > i) {
              EXPECT_EQ(rollout->at({i, j}), 0) << "nothing comes from later tokens";
            }
          }
          EXPECT_NEAR(sum, 1, 1e-5);
        }
      }
}

TEST(Rollout, OfAnArrayIsThatOfItsTrace) {
  const auto trace = layers_of(5, true);
  Tensor all(DType::f64, {3, 2, 5, 5}, {}, true);
  for (int layer = 0; layer < 3; ++layer)
    std::copy_n(trace->values_.at("layer." + std::to_string(layer) + ".weights").data<double>(), 50,
                all.data<double>() + layer * 50);
  const auto of_array = attention_rollout(all);
  ASSERT_TRUE(of_array.ok()) << of_array.error().sentence();
  const Rows expected = product_of(*trace, 3, 5);
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t j = 0; j < 5; ++j)
      EXPECT_NEAR(of_array->at({i, j}), expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], 1e-6);
  EXPECT_FALSE(attention_rollout(all.select(0, 0)).ok());
  EXPECT_FALSE(attention_rollout(all.slice(3, 0, 4)).ok()) << "as many keys as queries";
  all.data<double>()[57] = -0.5;
  EXPECT_NE(attention_rollout(all).error().sentence().find("layer 1 holds a number below 0"), std::string::npos);
}

TEST(HeadsTogether, TakesEveryCellsMeanOrLargestNumber) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kMasked = -std::numeric_limits<float>::infinity();
  const Tensor heads = Tensor::of<float>({1, 0, -3, kNan, kMasked, 0, 0.5, -1, 2, kMasked}, {2, 5});
  const Tensor mean = axis_together(HeadsAs::mean, heads, 0), most = axis_together(HeadsAs::max, heads, 0);
  EXPECT_EQ(mean.at({0}), 0.5);
  EXPECT_EQ(mean.at({1}), 0.25);
  EXPECT_EQ(mean.at({2}), -2);
  EXPECT_TRUE(std::isnan(mean.at({3})));
  EXPECT_EQ(mean.at({4}), static_cast<double>(kMasked));
  EXPECT_EQ(most.at({0}), 1);
  EXPECT_EQ(most.at({1}), 0.5);
  EXPECT_EQ(most.at({2}), -1);
  EXPECT_TRUE(std::isnan(most.at({3}))) << "as numpy.max has it, whichever head is NaN";
  EXPECT_EQ(most.at({4}), static_cast<double>(kMasked));
  EXPECT_TRUE(std::isnan(axis_together(HeadsAs::max, Tensor::of<float>({0, kNan, 2}, {3, 1}), 0).at({0})));
  EXPECT_EQ(axis_together(HeadsAs::mean, heads.as(DType::f64), 0).dtype(), DType::f64);
  EXPECT_EQ(axis_together(HeadsAs::mean, Tensor::of<std::int32_t>({1, 2}, {2, 1}), 0).at({0}), 1.5);
  EXPECT_EQ(words_of(HeadsAs::mean, 12, 0), "mean of 12 heads");
  EXPECT_EQ(words_of(HeadsAs::max, 1, 0), "largest of 1 head");
  EXPECT_EQ(words_of(HeadsAs::one, 12, 3), "head 3");
}

TEST(Rollout, AQueryThatSeesNothingKeepsItself) {
  auto trace = layers_of(3, false);
  Tensor weights = trace->values_.at("layer.0.weights");
  ASSERT_FALSE(weights.empty());
  for (std::int64_t h = 0; h < 2; ++h)
    for (std::int64_t j = 0; j < 3; ++j) weights.data<double>()[(h * 3 + 1) * 3 + j] = 0;
  const auto rollout = attention_rollout(*trace, sites_of(*trace, 1), 0);
  ASSERT_TRUE(rollout.ok());
  EXPECT_EQ(rollout->at({1, 1}), 1);
  EXPECT_EQ(rollout->at({1, 0}), 0);
}

TEST(Rollout, RefusesWhatItCannotMultiply) {
  auto trace = layers_of(3, false);
  EXPECT_FALSE(attention_rollout(*trace, {}, 0).ok());
  trace->sites_[1].columns_are_targets = true;  // a cross-attention
  const auto refused = attention_rollout(*trace, sites_of(*trace, 2), 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("layer.1."), std::string::npos);
  CancelSource cancel;
  cancel.cancel();
  EXPECT_EQ(attention_rollout(*trace, sites_of(*trace, 1), 0, cancel.token()).error().kind, ErrorKind::cancelled);
}

TEST(MeanOfHeads, IsTheirMean) {
  const auto trace = layers_of(4, false);
  const auto sites = sites_of(*trace, 3);
  const std::vector<HeadPlace> heads{{0, 1}, {2, 0}, {2, 1}};
  const auto mean = mean_of_heads(*trace, sites, heads, 0, Role::weights);
  ASSERT_TRUE(mean.ok());
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (const HeadPlace& head : heads)
        sum += trace->values_.at("layer." + std::to_string(head.layer) + ".weights").at({0, head.head, i, j});
      EXPECT_NEAR(mean->at({i, j}), sum / 3, 1e-6);
    }
  EXPECT_FALSE(mean_of_heads(*trace, sites, {}, 0, Role::weights).ok());
  EXPECT_FALSE(mean_of_heads(*trace, sites, std::vector<HeadPlace>{{7, 0}}, 0, Role::weights).ok());
}

}  // namespace
}  // namespace headlight
