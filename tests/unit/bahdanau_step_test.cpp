// Bahdanau's step against other loops over the weights it names: annotations, alignment, context, state and the next word; and
// every number's own terms.
#include "engine/insight/bahdanau_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace headlight {
namespace {

using Vector = std::vector<double>;

const BahdanauTexts kTexts{{11, 12, 13, 11}, {21, 22, 21}};

BahdanauStep step_of(std::size_t i, std::uint64_t seed = 5) {
  auto step = bahdanau_step(kTexts, i, seed);
  EXPECT_TRUE(step.ok());
  return step.ok() ? *step : BahdanauStep();
}

double product(const DrawnMatrix& m, std::size_t row, const Vector& x) {
  return std::inner_product(x.begin(), x.end(), m.values.begin() + static_cast<std::ptrdiff_t>(row * m.columns), 0.0);
}

TEST(BahdanauStep, ReadsTheWordsFromEitherEnd) {
  const BahdanauStep step = step_of(0);
  ASSERT_EQ(step.annotations.size(), 4u);
  EXPECT_EQ(step.words[0], step.words[3]) << "one word, one vector";
  EXPECT_NE(step.annotations[0], step.annotations[3]) << "but two places";
  Vector f(kDirection, 0.0), b(kDirection, 0.0);
  for (std::size_t n = 0; n < 4; ++n) {
    Vector forward, backward;
    for (std::size_t u = 0; u < kDirection; ++u) {
      forward.push_back(std::tanh(product(step.matrix("W_f"), u, step.words[n]) + product(step.matrix("U_f"), u, f)));
      backward.push_back(std::tanh(product(step.matrix("W_b"), u, step.words[3 - n]) + product(step.matrix("U_b"), u, b)));
    }
    f = forward;
    b = backward;
    for (std::size_t u = 0; u < kDirection; ++u) {
      EXPECT_NEAR(step.annotations[n][u], f[u], 1e-12);
      EXPECT_NEAR(step.annotations[3 - n][kDirection + u], b[u], 1e-12);
    }
  }
  for (std::size_t u = 0; u < kStateWidth; ++u)
    EXPECT_NEAR(step.state_before()[u], std::tanh(product(step.matrix("W_s"), u, b)), 1e-12) << "the decoder starts from it";
}

TEST(BahdanauStep, AlignsWeighsAndWrites) {
  for (const std::size_t i : {0u, 1u, 2u}) {
    const BahdanauStep step = step_of(i);
    const Vector s = step.state_before();
    Vector weights, context(kAnnotation, 0.0);
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      double e = 0;
      for (std::size_t u = 0; u < kAlignWidth; ++u)
        e += step.matrix("v_a").at(0, u) *
             std::tanh(product(step.matrix("W_a"), u, s) + product(step.matrix("U_a"), u, step.annotations[j]));
      EXPECT_NEAR(step.scores[j], e, 1e-12);
      weights.push_back(std::exp(e));
      sum += weights.back();
    }
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(step.weights_of_words[j], weights[j] / sum, 1e-12);
      for (std::size_t u = 0; u < kAnnotation; ++u) context[u] += weights[j] / sum * step.annotations[j][u];
    }
    for (std::size_t u = 0; u < kAnnotation; ++u) EXPECT_NEAR(step.context[u], context[u], 1e-12);
    for (std::size_t u = 0; u < kStateWidth; ++u)
      EXPECT_NEAR(step.state()[u],
                  std::tanh(product(step.matrix("W_y"), u, step.previous_word) + product(step.matrix("U"), u, s) +
                            product(step.matrix("C"), u, context)),
                  1e-12);
    ASSERT_EQ(step.vocabulary, (std::vector<std::int64_t>{21, 22}));
    EXPECT_EQ(step.right, i == 1 ? 1 : 0);
    const double a = product(step.matrix("O_y"), 0, step.previous_word) + product(step.matrix("O_s"), 0, step.state()) +
                     product(step.matrix("O_c"), 0, context);
    const double b = product(step.matrix("O_y"), 1, step.previous_word) + product(step.matrix("O_s"), 1, step.state()) +
                     product(step.matrix("O_c"), 1, context);
    EXPECT_NEAR(step.probabilities[0], 1 / (1 + std::exp(b - a)), 1e-12);
    EXPECT_NEAR(step.probabilities[0] + step.probabilities[1], 1, 1e-12);
    if (i > 0) {
      EXPECT_EQ(s, step_of(i - 1).state()) << "a step goes on where the one before ended";
    } else {
      EXPECT_EQ(step.previous_word, Vector(kWordWidth, 0.0));
    }
  }
  EXPECT_NE(step_of(1).scores, step_of(1, 6).scores) << "another seed, other weights";
}

TEST(BahdanauStep, EveryNumberIsWhatItsTermsMakeOfIt) {
  const BahdanauStep step = step_of(2);
  const auto check = [&](const BahdanauStep& at, const char* quantity, std::size_t words, std::size_t units) {
    for (std::size_t word = 0; word < words; ++word)
      for (std::size_t unit = 0; unit < units; ++unit) {
        const auto number = trace_number(at, quantity, word, unit);
        ASSERT_TRUE(number.ok()) << quantity << word << unit;
        double sum = 0;
        for (const auto& term : number->terms) sum += term.a * term.b;
        const double made = number->function == "tanh"      ? std::tanh(sum)
                            : number->function == "softmax" ? std::exp(sum - number->largest) / number->total
                                                            : sum;
        EXPECT_NEAR(number->value, made, 1e-12) << quantity << word << unit;
        EXPECT_FALSE(number->formula.empty() || number->terms.empty());
      }
    EXPECT_FALSE(trace_number(at, quantity, words, units).ok());
  };
  check(step, "x", 4, kWordWidth);
  check(step, "h", 4, kAnnotation);
  check(step, "hidden", 4, kAlignWidth);
  check(step, "e", 4, 1);
  check(step, "alpha", 4, 1);
  check(step, "c", 1, kAnnotation);
  check(step, "y", 1, kWordWidth);
  check(step, "s", 1, kStateWidth);
  check(step, "logit", 2, 1);
  check(step, "p", 2, 1);
  check(step_of(0), "before", 1, kStateWidth);
  EXPECT_FALSE(trace_number(step, "nothing", 0, 0).ok());
}

TEST(BahdanauStep, RefusesWhatCannotBeComputed) {
  EXPECT_FALSE(bahdanau_step({{}, {1}}, 0, 0).ok());
  EXPECT_FALSE(bahdanau_step({{1}, {}}, 0, 0).ok());
  EXPECT_FALSE(bahdanau_step(kTexts, 3, 0).ok());
  BahdanauTexts longer;
  longer.source.assign(kMostBahdanauWords + 1, 1);
  longer.target = {1};
  EXPECT_FALSE(bahdanau_step(longer, 0, 0).ok());
}

}  // namespace
}  // namespace headlight
