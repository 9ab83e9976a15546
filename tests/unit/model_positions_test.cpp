// How a model tells its tokens their places inside the attention: rotary positions, a bias by distance, relative positions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "engine/attention/masks/combined.h"
#include "engine/operations/rotary.h"
#include "engine/pipeline/on_host.h"
#include "tests/support/model_parts.h"

namespace headlight {
namespace {

using tests::check;
using tests::numbers;
using tests::small_model;
using tests::trace_of;
using tests::TracePtr;

TEST(ModelPositions, RotaryPositionsTurnQueriesAndKeys) {
  Document d = small_model();
  d.position = "rotary";
  check(d, {"layer.0.q_rotated", "layer.1.k_rotated", "layer.0.scores", "layer.0.q", "input"});
  const TracePtr trace = trace_of(d);
  EXPECT_EQ(trace->find("position"), nullptr);
  EXPECT_EQ(trace->sites()[0].q, "layer.0.q_rotated");
  EXPECT_EQ(trace->find("layer.0.q_rotated")->role, Role::q_scored);
  // At position 0 nothing turns; at 1 something does.
  const std::vector<double> q = numbers(*trace, "layer.0.q"), turned = numbers(*trace, "layer.0.q_rotated");
  EXPECT_EQ(std::vector<double>(q.begin(), q.begin() + 8), std::vector<double>(turned.begin(), turned.begin() + 8));
  EXPECT_NE(q[8], turned[8]);
}

TEST(ModelPositions, SplitPairsLieHalfAHeadApart) {
  Document d = small_model();
  d.position = "rotary-split";
  check(d, {"layer.0.q_rotated", "layer.1.k_rotated", "layer.0.scores"});
  const TracePtr trace = trace_of(d);
  const Tensor q = *trace->values("layer.0.q"), turned = *trace->values("layer.0.q_rotated");
  const std::int64_t d_k = q.dim(3), half = d_k / 2;
  for (std::int64_t t = 0; t < q.dim(2); ++t)
    for (std::int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(t) * std::pow(10000.0, -2 * static_cast<double>(i) / static_cast<double>(d_k));
      const double a = q.at({0, 1, t, i}), b = q.at({0, 1, t, i + half});
      EXPECT_NEAR(turned.at({0, 1, t, i}), a * std::cos(angle) - b * std::sin(angle), 1e-5);
      EXPECT_NEAR(turned.at({0, 1, t, i + half}), a * std::sin(angle) + b * std::cos(angle), 1e-5);
    }
}

TEST(ModelPositions, RotaryScoresDependOnTheDistanceAlone) {
  constexpr std::int64_t d_k = 8, length = 40;
  std::vector<double> row(d_k);
  std::iota(row.begin(), row.end(), 1.0);
  Tensor same(DType::f64, {length, d_k}, {}, true);
  for (std::int64_t t = 0; t < length; ++t) std::copy(row.begin(), row.end(), same.data<double>() + t * d_k);
  for (const bool halves : {false, true}) {
    Tensor y(DType::f64, {length, d_k}, {}, true);
    ASSERT_TRUE(
        operations::compute(operations::Rotary{length, length, d_k, 10000, halves}, std::span(&same, 1), std::span(&y, 1), {})
            .ok());
    const auto dot = [&](std::int64_t a, std::int64_t b) {
      double sum = 0;
      for (std::int64_t i = 0; i < d_k; ++i) sum += y.data<double>()[a * d_k + i] * y.data<double>()[b * d_k + i];
      return sum;
    };
    EXPECT_NEAR(dot(3, 0), dot(39, 36), 1e-9);
    EXPECT_GT(std::abs(dot(3, 0) - dot(4, 0)), 1e-3);
  }
}
// A position that is added to the scores: each attention has it beside its mask, on every backend, and in part as well as whole.
TEST(ModelPositions, ABiasByDistanceIsAddedToTheScores) {
  Document d = small_model();
  d.position = "alibi";
  d.masks = {Choice{"causal", {}}};
  check(d, {"layer.0.position_bias", "layer.0.masked_scores", "layer.0.weights", "layer.1.context"});
  const TracePtr trace = trace_of(d);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->find("position"), nullptr) << "nothing is added to the embeddings";
  const Tensor scaled = *trace->values("layer.1.scaled_scores"), masked = *trace->values("layer.1.masked_scores");
  const Shape shape = scaled.shape();
  for (std::int64_t head = 0; head < shape[1]; ++head)
    for (std::int64_t i = 0; i < shape[2]; ++i) {
      for (std::int64_t j = 0; j <= i; ++j)
        ASSERT_NEAR(masked.at({0, head, i, j}) - scaled.at({0, head, i, j}),
                    -std::pow(2.0, -8.0 * static_cast<double>(head + 1) / 3) * static_cast<double>(i - j), 1e-12);
      const Tensor row = *trace->tile("layer.1.weights", {0, head, i, 1, 0, -1});
      for (std::int64_t j = 0; j < shape[3]; ++j)
        ASSERT_EQ(row.at({0, j}), trace->values("layer.1.weights")->at({0, head, i, j})) << head << " " << i << " " << j;
    }
  d.backend = "cpu";
  const TracePtr cpu = trace_of(d);
  ASSERT_TRUE(cpu);
  for (const Step& step : cpu->steps()) EXPECT_FALSE(step.on_host) << step.name << ": the CPU adds a bias beside a mask itself";
}

// Cross-attention counts no distance between the tokens of two sentences.
TEST(ModelPositions, CrossAttentionHasNoBiasByDistance) {
  Document d = small_model();
  d.position = "alibi";
  d.targets = {"une creature"};
  const TracePtr trace = trace_of(d);
  ASSERT_TRUE(trace);
  EXPECT_NE(trace->find("decoder.layer.0.position_bias"), nullptr);
  EXPECT_EQ(trace->find("decoder.layer.0.cross.position_bias"), nullptr);
}

// Shaw et al. 2018: a row of a table by distance joins each key inside the score and each value inside the sum.
TEST(ModelPositions, RelativePositionsJoinKeysAndValues) {
  Document d = small_model();
  d.position = "relative";
  d.relative_clip = 2;
  d.masks = {Choice{"causal", {}}, Choice{"padding", {}}};
  d.texts = {"a fluffy blue creature roamed", "man bites dog"};
  check(d, {"layer.0.position_bias", "layer.0.weights", "layer.0.context_of_values", "layer.1.context_of_positions",
            "layer.1.context", "layer.1.concat"});
  const TracePtr trace = trace_of(d);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->find("position"), nullptr) << "nothing is added to the embeddings";
  const AttentionSite& site = trace->sites()[1];
  EXPECT_EQ(site.relative_keys, "parameters.layer.1.a_k");
  EXPECT_EQ(site.relative_values, "parameters.layer.1.a_v");
  const Tensor q = *trace->values(site.q), k = *trace->values(site.k), v = *trace->values(site.v);
  const Tensor by_key = *trace->values(site.relative_keys), by_value = *trace->values(site.relative_values);
  ASSERT_EQ(by_key.shape(), (Shape{5, site.d_k}));
  const Tensor masked = *trace->values("layer.1.masked_scores"), weights = *trace->values("layer.1.weights");
  const Tensor context = *trace->values("layer.1.context");
  const auto row = [](std::int64_t i, std::int64_t j) { return std::clamp<std::int64_t>(j - i, -2, 2) + 2; };
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t h = 0; h < site.heads; ++h)
      for (std::int64_t i = 0; i < site.queries; ++i) {
        for (std::int64_t j = 0; j < site.keys; ++j) {
          double score = 0;
          for (std::int64_t c = 0; c < site.d_k; ++c)
            score += q.at({b, h, i, c}) * (k.at({b, h, j, c}) + by_key.at({row(i, j), c}));
          if (!masks::allows(site.mask.mask, b, h, i, j)) continue;
          ASSERT_NEAR(masked.at({b, h, i, j}), score / std::sqrt(static_cast<double>(site.d_k)), 1e-12);
        }
        for (std::int64_t c = 0; c < site.d_k; ++c) {
          double sum = 0;
          for (std::int64_t j = 0; j < site.keys; ++j)
            sum += weights.at({b, h, i, j}) * (v.at({b, h, j, c}) + by_value.at({row(i, j), c}));
          ASSERT_NEAR(context.at({b, h, i, c}), sum, 1e-12);
        }
      }
}

TEST(ModelPositions, CrossAttentionHasNoRelativePositions) {
  Document d = small_model();
  d.position = "relative";
  d.targets = {"une creature"};
  const TracePtr trace = trace_of(d);
  ASSERT_TRUE(trace);
  EXPECT_NE(trace->find("encoder.layer.0.position_bias"), nullptr);
  EXPECT_NE(trace->find("decoder.layer.0.context_of_positions"), nullptr);
  EXPECT_EQ(trace->find("decoder.layer.0.cross.position_bias"), nullptr);
  EXPECT_EQ(trace->find("decoder.layer.0.cross.context_of_positions"), nullptr);
}

// A pattern that is replaced weighs the values and the rows of their distances alike; a head that is taken out passes neither.
TEST(ModelPositions, InterventionsReachWhatRelativePositionsAdd) {
  Document d = small_model();
  d.position = "relative";
  for (const auto& [id, text] : {std::pair{"uniform", "layer.0.head.1"}, {"without", "layer.0.head.2"}})
    ASSERT_TRUE(find_field(id)->set(d, {text}).ok());
  check(d, {"layer.0.context_of_values", "layer.0.context_of_positions", "layer.0.context", "layer.0.weights"});
  const TracePtr trace = trace_of(d);
  ASSERT_TRUE(trace);
  const AttentionSite& site = trace->sites()[0];
  const Tensor rows = *trace->values(site.relative_values), added = *trace->values("layer.0.context_of_positions");
  const Tensor context = *trace->values("layer.0.context");
  for (std::int64_t c = 0; c < site.d_k; ++c) {
    double sum = 0;
    for (std::int64_t j = 0; j < site.keys; ++j)
      sum += rows.at({std::min<std::int64_t>(j, 4) + 4, c}) / static_cast<double>(site.keys);
    ASSERT_NEAR(added.at({0, 1, 0, c}), sum, 1e-12);
    EXPECT_EQ(context.at({0, 2, 0, c}), 0);
  }
  // Without positions nothing is left of them.
  ASSERT_TRUE(find_field("without")->set(d, {"positions"}).ok());
  const TracePtr bare = trace_of(d);
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->find("layer.0.context_of_positions"), nullptr);
}

TEST(ModelPositions, RelativePositionsNeedKeys) {
  Document d = small_model();
  d.position = "relative";
  for (const char* score : {"additive", "location", "cosine"}) {
    d.score = score;
    const Status said = validate(d);
    ASSERT_FALSE(said.ok()) << score;
    EXPECT_NE(said.error().sentence().find("choose scaled_dot, dot or general"), std::string::npos) << said.error().sentence();
  }
  d.score = "general";
  EXPECT_TRUE(validate(d).ok());
  d.relative_clip = -1;
  EXPECT_FALSE(validate(d).ok()) << "a negative clip";
}

TEST(ModelPositions, AnOddHeadCannotTurn) {
  Document d = small_model();
  d.position = "rotary";
  d.d_model = 21;
  const auto trace = run(d, **backends::open("cpu"), {});
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().sentence().find("d_k is 7"), std::string::npos) << trace.error().sentence();
}

}  // namespace
}  // namespace headlight
