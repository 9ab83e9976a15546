// Linear attention as a recurrence: what the parallel form gives, gradients against finite differences, and two layers that
// learn.
#include "engine/recurrence/linear_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/attention/long_texts/method.h"
#include "engine/backends/backends.h"
#include "engine/core/rng.h"
#include "engine/recurrence/side_by_side.h"

namespace headlight::recurrence {
namespace {

Tensor drawn_rows(std::int64_t steps, std::int64_t d, const char* name) {
  const Rng rng(11, name);
  Tensor rows(DType::f64, {steps, d});
  for (std::int64_t i = 0; i < rows.count(); ++i) rows.data<double>()[i] = rng.normal(0, static_cast<std::uint64_t>(i));
  return rows;
}

struct BySimilarity : testing::TestWithParam<const char*> {};

TEST_P(BySimilarity, TheRecurrenceIsTheParallelForm) {
  const std::int64_t steps = 150, d = 4;
  const long_texts::Rows rows{drawn_rows(steps, d, "q"), drawn_rows(steps, d, "k"), drawn_rows(steps, d, "v")};
  const Tensor by_step = linear_attention(GetParam(), rows.q, rows.k, rows.v).value();
  const long_texts::Entry& linear = *long_texts::registry().find("linear");
  const Values values{{"similarity", std::string(GetParam())}};
  const long_texts::Task task{steps, d, true};
  const auto backend = backends::open("reference").value();
  Tensor parallel(DType::f64, {steps, d});
  ASSERT_TRUE(long_texts::prepare(linear, *backend, values, task).value()->run(rows, parallel, {}).ok());
  EXPECT_LT(difference(by_step, parallel).max_abs, 1e-10);
  const Tensor implied = long_texts::output_of(long_texts::pattern(linear, values, task, rows).value(), rows.v);
  EXPECT_LT(difference(by_step, implied).max_abs, 1e-10);
}

TEST_P(BySimilarity, GradientsAreFiniteDifferences) {
  Tensor rows[] = {drawn_rows(9, 3, "q"), drawn_rows(9, 3, "k"), drawn_rows(9, 3, "v")};
  const Tensor d_out = drawn_rows(9, 3, "d_out");
  const AttentionGradients g = linear_attention_gradients(GetParam(), rows[0], rows[1], rows[2], d_out).value();
  const auto loss = [&] {
    const Tensor out = linear_attention(GetParam(), rows[0], rows[1], rows[2]).value();
    double sum = 0;
    for (std::int64_t i = 0; i < out.count(); ++i) sum += out.data<double>()[i] * d_out.data<double>()[i];
    return sum;
  };
  const Tensor* const found[] = {&g.q, &g.k, &g.v};
  for (std::size_t which = 0; which < 3; ++which) {
    double error = 0, size = 0;
    for (std::int64_t i = 0; i < rows[which].count(); ++i) {
      double& x = rows[which].data<double>()[i];
      const double before = x;
      x = before + 1e-6;
      const double above = loss();
      x = before - 1e-6;
      const double expected = (above - loss()) / 2e-6;
      x = before;
      error += std::pow(expected - found[which]->data<double>()[i], 2);
      size += expected * expected;
    }
    ASSERT_GT(size, 0) << which;
    EXPECT_LT(std::sqrt(error / size), 1e-6) << which;
  }
}

INSTANTIATE_TEST_SUITE_P(LinearAttention, BySimilarity, testing::Values("elu+1", "relu", "squared"), [](const auto& one) {
  return std::string(one.param) == "elu+1" ? std::string("elu") : std::string(one.param);
});

TEST(LinearAttention, WhatHasNoFeaturesIsRefused) {
  const Tensor rows = drawn_rows(3, 2, "q");
  EXPECT_NE(linear_attention("exp", rows, rows, rows).error().sentence().find("exp"), std::string::npos);
  EXPECT_FALSE(linear_attention("relu", rows, drawn_rows(4, 2, "k"), rows).ok());
}

// Of two layers of attention, every number, embeddings and read-out included.
TEST(LinearAttention, TwoLayersGradientsAreFiniteDifferences) {
  const std::vector<std::int64_t> tokens = {0, 1, 2, 2, 3, 0, 1};
  for (const bool linear : {false, true}) {
    AttentionNetwork network = draw(AttentionSettings{4, linear, 3}, 4).value();
    const AttentionReading reading = read(network, tokens).value();
    double largest = 0;
    for (const double g : reading.gradients) largest = std::max(largest, std::abs(g));
    ASSERT_GT(largest, 0.1);
    for (std::size_t i = 0; i < network.numbers.size(); ++i) {
      const double before = network.numbers[i];
      network.numbers[i] = before + 1e-5;
      const double above = read(network, tokens).value().sum;
      network.numbers[i] = before - 1e-5;
      const double below = read(network, tokens).value().sum;
      network.numbers[i] = before;
      EXPECT_NEAR(reading.gradients[i], (above - below) / 2e-5, 1e-6 * std::max(1.0, largest)) << linear << " number " << i;
    }
    for (std::int64_t t = 0; t < 7; ++t) {
      double sum = 0;
      for (std::int64_t s = 0; s < 4; ++s) sum += reading.guesses.at({t, s});
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

// "abcd" again and again: all four learn it, and each goes on from a copy as it would have gone on itself.
TEST(SideBySide, TheSameSequenceIsLearntByAll) {
  std::vector<std::int64_t> tokens;
  for (std::int64_t t = 0; t < 16; ++t) tokens.push_back(t % 4);
  SideBySide training = SideBySide::begin({8, 1, 0.02, 5}, tokens, 4).value();
  ASSERT_EQ(training.curves().size(), 4u);
  SideBySide copy = training;
  for (int step = 0; step < 150; ++step) {
    if (step == 50) copy = training;
    ASSERT_TRUE(training.step().ok());
  }
  EXPECT_EQ(training.steps(), 150);
  const std::vector<LearningCurve> curves = training.curves();
  for (std::size_t i = 0; i < 4; ++i) {
    const LearningCurve& curve = curves[i];
    EXPECT_GT(curve.losses.front(), 10) << curve.id;
    EXPECT_LT(curve.losses.back(), 2) << curve.id;
    EXPECT_EQ(training.right(i), 15) << curve.id;
  }
  EXPECT_EQ(copy.steps(), 50);
  while (copy.steps() < 150) ASSERT_TRUE(copy.step().ok());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(copy.curves()[i].losses, training.curves()[i].losses) << i;
}

// Eight symbols three times over: what has been learnt stays learnt, whatever the seed.
TEST(SideBySide, AttentionThatHasLearntDoesNotJump) {
  std::vector<std::int64_t> tokens;
  for (std::int64_t t = 0; t < 24; ++t) tokens.push_back(t % 8);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const AttentionNetwork network = draw(AttentionSettings{16, false, seed}, 8).value();
    AttentionLearner learner = AttentionLearner::begin(network, tokens, 0.02).value();
    while (learner.steps() < 150) ASSERT_TRUE(learner.step().ok());
    for (std::size_t step = 50; step <= 150; ++step) EXPECT_LT(learner.losses()[step], 3) << seed << ' ' << step;
  }
}

TEST(SideBySide, WhatMakesNoSenseIsRefusedAndACancelledStepChangesNothing) {
  const std::vector<std::int64_t> tokens = {0, 1, 0};
  EXPECT_FALSE(SideBySide::begin({0, 1, 0.02, 0}, tokens, 2).ok());
  EXPECT_FALSE(SideBySide::begin({8, 1, 0, 0}, tokens, 2).ok());
  EXPECT_FALSE(SideBySide::begin({8, 1, 0.02, 0}, {0, 2}, 2).ok());
  EXPECT_FALSE(SideBySide::begin({8, 1, 0.02, 0}, {}, 2).ok());
  SideBySide training = SideBySide::begin({8, 1, 0.02, 0}, tokens, 2).value();
  CancelSource source;
  source.cancel();
  EXPECT_FALSE(training.step(source.token()).ok());
  EXPECT_EQ(training.steps(), 0);
  EXPECT_TRUE(training.step().ok());
  EXPECT_EQ(training.steps(), 1);
}

}  // namespace
}  // namespace headlight::recurrence
