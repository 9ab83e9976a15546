// For every attention of a real trace: what explain_cell computes again from q, k and v equals what run() computed.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/insight/explain.h"
#include "tests/support/trace_of.h"

namespace headlight {
namespace {

using tests::trace_of;

Document explain_run_small(const std::string& backend) {
  Document document;
  document.texts = {"a fluffy blue creature", "man bites dog"};
  document.targets = {"le chat", "un homme mord le chien"};
  document.d_model = 32;
  document.heads = 4;
  document.layers = 2;
  document.masks = {{"padding", {}}, {"causal", {}}};
  document.temperature = 0.7;
  document.backend = backend;
  return document;
}

TEST(ExplainRun, EveryAttentionAgreesWithItsTrace) {
  // float32: about ten products of numbers of size 1 to 10. The reference backend computes in double throughout.
  for (const auto& [backend, tolerance] : {std::pair<std::string, double>{"cpu", 1e-4}, {"reference", 1e-11}}) {
    const auto trace = trace_of(explain_run_small(backend));
    ASSERT_TRUE(trace);
    ASSERT_EQ(trace->sites().size(), 6u);  // two layers of encoder, decoder and cross
    for (const AttentionSite& site : trace->sites())
      for (std::int64_t batch = 0; batch < 2; ++batch)
        for (std::int64_t query = 0; query < site.queries; query += 3)
          for (std::int64_t key = 0; key < site.keys; key += 2) {
            const auto e = explain_cell(*trace, {site.prefix, batch, 1, query, key});
            ASSERT_TRUE(e.ok()) << e.error().sentence();
            EXPECT_NEAR(e->dot, e->dot_in_trace, tolerance * (1 + std::abs(e->dot))) << site.prefix << query << "," << key;
            EXPECT_NEAR(e->weight, e->weight_in_trace, tolerance) << site.prefix << query << "," << key;
            EXPECT_EQ(e->masks.size(), site.mask.parts.size());
            if (!e->visible) {
              EXPECT_EQ(e->weight, 0);
            }
            EXPECT_FALSE(e->residual_step.empty()) << site.prefix;
            EXPECT_TRUE(e->random_weights);
          }
  }
}

// The words of the masks agree with the cell, also if one mask overrules another.
TEST(ExplainRun, WhatTheMasksSayTogetherIsWhatTheCellIs) {
  Document document = explain_run_small("reference");
  document.masks = *masks::parse_list("causal,padding,window:1,dilated:1/2,global:1");
  const auto trace = trace_of(document);
  ASSERT_TRUE(trace);
  int overruled = 0;
  for (const AttentionSite& site : trace->sites())
    for (std::int64_t query = 0; query < site.queries; ++query)
      for (std::int64_t key = 0; key < site.keys; ++key) {
        const auto e = explain_cell(*trace, {site.prefix, 0, 0, query, key});
        ASSERT_TRUE(e.ok()) << e.error().sentence();
        bool all = true;
        for (const auto& says : e->masks) {
          all = all && says.allows;
          overruled += says.words.find("re-allows") != std::string::npos;
        }
        EXPECT_EQ(all, e->visible) << site.prefix << query << "," << key;
      }
  EXPECT_GT(overruled, 0);
}

// S19, S23: the heads' contributions add up to the attention's output, except for the bias of W_O, which belongs to no head.
TEST(ExplainRun, TheHeadsDeltasAddUpToTheOutput) {
  Document document = explain_run_small("reference");
  document.bias = false;
  const auto trace = trace_of(document);
  ASSERT_TRUE(trace);
  for (const AttentionSite& site : trace->sites()) {
    const auto output = trace->values(site.prefix + "attention_output");
    ASSERT_TRUE(output.ok()) << output.error().sentence();
    std::vector<double> sum(static_cast<std::size_t>(output->dim(2)), 0.0);
    for (std::int64_t head = 0; head < site.heads; ++head) {
      const auto e = explain_cell(*trace, {site.prefix, 0, head, 1, 0});
      ASSERT_TRUE(e.ok());
      ASSERT_EQ(e->row_delta.size(), sum.size());
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += e->row_delta[i];
    }
    for (std::size_t i = 0; i < sum.size(); ++i)
      EXPECT_NEAR(sum[i], output->at({0, 1, static_cast<std::int64_t>(i)}), 1e-10) << site.prefix << i;  // sums in another order
  }
}

TEST(ExplainRun, ATokensInputIsItsEmbeddingAndItsPosition) {
  const auto trace = trace_of(explain_run_small("reference"));
  ASSERT_TRUE(trace);
  for (const bool target : {false, true}) {
    const auto e = explain_token(*trace, target, 1, 2);
    ASSERT_TRUE(e.ok()) << e.error().sentence();
    ASSERT_EQ(e->embedding.size(), 32u);
    ASSERT_EQ(e->position_code.size(), 32u);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_DOUBLE_EQ(e->input[i], e->embedding[i] + e->position_code[i]);
  }
}

TEST(ExplainRun, UnprojectedAttentionHasNoOutputMatrix) {
  Document document;
  document.texts = {"man bites dog"};
  document.projected = false;
  document.heads = 1;
  document.layers = 1;
  document.d_model = 16;
  document.residual = false;
  document.norm = "none";
  document.feed_forward = false;
  document.position = "none";
  const auto trace = trace_of(document);
  ASSERT_TRUE(trace);
  const auto e = explain_cell(*trace, {trace->sites()[0].prefix, 0, 0, 1, 0});
  ASSERT_TRUE(e.ok()) << e.error().sentence();
  ASSERT_EQ(e->delta.size(), e->value.size());
  for (std::size_t i = 0; i < e->delta.size(); ++i) EXPECT_DOUBLE_EQ(e->delta[i], e->weight * e->value[i]);
}

}  // namespace
}  // namespace headlight
