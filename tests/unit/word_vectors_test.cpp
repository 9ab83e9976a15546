// word2vec: the gradients of one guess against finite differences, and what a training learns from a text made for it.
#include "engine/train/word_vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace headlight {
namespace {

TEST(WordVectors, AGuessHasTheGradientsOfItsLoss) {
  constexpr std::size_t d = 11, words = 4;
  std::vector<float> h(d), u(words * d);
  for (std::size_t i = 0; i < d; ++i) h[i] = 0.3f * static_cast<float>(std::sin(1.0 + static_cast<double>(i)));
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = 0.5f * static_cast<float>(std::cos(static_cast<double>(i)));
  const auto loss_at = [&](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;  // by the formula, in double
    for (std::size_t k = 0; k < words; ++k) {
      double x = 0;
      for (std::size_t i = 0; i < d; ++i) x += static_cast<double>(a[i]) * static_cast<double>(b[k * d + i]);
      sum -= std::log(1 / (1 + std::exp(k == 0 ? -x : x)));
    }
    return sum;
  };
  std::vector<float> dh(d, 1.0f), du(u.size(), 2.0f);  // they are added to
  EXPECT_NEAR(loss_of_guess(h, u, dh, du), loss_at(h, u), 1e-6);
  constexpr float step = 1.0f / 256;
  for (std::size_t i = 0; i < d; ++i) {
    auto more = h, less = h;
    more[i] += step;
    less[i] -= step;
    EXPECT_NEAR(dh[i] - 1, (loss_at(more, u) - loss_at(less, u)) / (2 * step), 2e-5) << i;
  }
  for (std::size_t i = 0; i < u.size(); ++i) {
    auto more = u, less = u;
    more[i] += step;
    less[i] -= step;
    EXPECT_NEAR(du[i] - 2, (loss_at(h, more) - loss_at(h, less)) / (2 * step), 2e-5) << i;
  }
  std::vector<float> large(d, 30.0f), far(d, -30.0f), none(d), none_either(d);
  EXPECT_NEAR(loss_of_guess(large, far, none, none_either), 9900, 1e-2) << "no overflow";
}

// Words 0 and 1 stand between 2 and 3, words 4 and 5 between 6 and 7: only the neighbours say which words are alike.
std::vector<std::int32_t> two_worlds() {
  std::vector<std::int32_t> text;
  for (std::int32_t i = 0; i < 4000; ++i) {
    const std::int32_t world = 4 * (i / 2 % 2), word = world + i * 7 % 5 % 2;
    text.insert(text.end(), {world + 2, word, world + 3, -1});
  }
  return text;
}

double cosine_of(const Tensor& table, std::int64_t a, std::int64_t b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::int64_t i = 0; i < table.dim(1); ++i) {
    const double x = table.at({a, i}), y = table.at({b, i});
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

TEST(WordVectors, WordsWithTheSameNeighboursBecomeAlike) {
  for (const bool bag : {false, true}) {
    SCOPED_TRACE(bag ? "cbow" : "skipgram");
    WordVectorOptions options;
    options.bag = bag;
    options.dimensions = 16;
    options.window = 1;
    options.rate = 0.1;
    options.subsample = 0;
    const auto learnt = train_word_vectors(two_worlds(), 9, options, {}, {});
    ASSERT_TRUE(learnt.ok()) << learnt.error().sentence();
    ASSERT_EQ(learnt->losses.size(), 5U);
    EXPECT_LT(learnt->losses.back(), 0.9 * learnt->losses.front());
    // Whose vectors guess, or are guessed from: the words' own for skip-gram, for CBOW those they are compared with.
    const Tensor& table = bag ? learnt->context : learnt->embedding;
    EXPECT_GT(cosine_of(table, 0, 1), 0.9);
    EXPECT_GT(cosine_of(table, 4, 5), 0.9);
    EXPECT_LT(cosine_of(table, 0, 4), 0.5);
    EXPECT_LT(cosine_of(table, 1, 5), 0.5);
    for (std::int64_t i = 0; i < 16; ++i) EXPECT_EQ(learnt->embedding.at({8, i}), 0) << "a word that does not occur";
    const auto again = train_word_vectors(two_worlds(), 9, options, {}, {});
    ASSERT_TRUE(again.ok());
    for (std::int64_t i = 0; i < 16; ++i) EXPECT_EQ(again->embedding.at({0, i}), learnt->embedding.at({0, i}));
    EXPECT_EQ(again->losses, learnt->losses);
    options.seed = 1;
    EXPECT_NE(train_word_vectors(two_worlds(), 9, options, {}, {})->losses, learnt->losses);
  }
}

TEST(WordVectors, SnapshotsGoFromTheStartToTheEndAndChangeNothing) {
  WordVectorOptions options;
  options.dimensions = 6;
  options.epochs = 3;
  options.subsample = 0;  // then a snapshot is at most 256 places late
  std::vector<std::int64_t> places;
  std::vector<double> losses, first_numbers;
  WordVectorReport report;
  report.snapshots = 7;
  report.snapshot = [&](const WordVectorSnapshot& now) {
    places.push_back(now.done);
    losses.push_back(now.loss);
    first_numbers.push_back(now.embedding.at({0, 0}));
    EXPECT_EQ(now.total, 3 * static_cast<std::int64_t>(two_worlds().size()));
    EXPECT_EQ(now.context.dim(0), 9);
  };
  const auto learnt = train_word_vectors(two_worlds(), 9, options, report, {});
  ASSERT_TRUE(learnt.ok());
  ASSERT_EQ(places.size(), 7U);
  EXPECT_EQ(places.front(), 0);
  EXPECT_EQ(places.back(), 3 * static_cast<std::int64_t>(two_worlds().size()));
  for (std::size_t i = 1; i < 6; ++i)
    EXPECT_NEAR(static_cast<double>(places[i]), static_cast<double>(places.back()) * static_cast<double>(i) / 6, 256) << i;
  EXPECT_TRUE(std::isnan(losses.front())) << "nothing is guessed yet";
  EXPECT_LT(losses.back(), losses[1]);
  EXPECT_NE(first_numbers.front(), first_numbers.back());
  EXPECT_EQ(first_numbers.back(), learnt->embedding.at({0, 0}));
  EXPECT_EQ(train_word_vectors(two_worlds(), 9, options, {}, {})->losses, learnt->losses);
}

TEST(WordVectors, WhatCannotBeLearntIsRefusedAndItCanBeStopped) {
  const auto refusal = [](const std::vector<std::int32_t>& text, const WordVectorOptions& options) {
    const auto learnt = train_word_vectors(text, 3, options, {}, {});
    return learnt.ok() ? std::string("learnt") : learnt.error().sentence();
  };
  EXPECT_NE(refusal({}, {}).find("fewer than two words"), std::string::npos);
  EXPECT_NE(refusal({1, 1, -1, 1}, {}).find("fewer than two words"), std::string::npos);
  EXPECT_NE(refusal({1, 3}, {}).find("id 3 of 3 words"), std::string::npos);
  WordVectorOptions none;
  none.window = 0;
  EXPECT_NE(refusal({1, 2}, none).find("greater than 0"), std::string::npos);
  EXPECT_EQ(refusal({1, 2, -1}, {}), "learnt");
  CancelSource source;
  source.cancel();
  const auto stopped = train_word_vectors(two_worlds(), 9, {}, {}, source.token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace headlight
