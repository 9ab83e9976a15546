// Recurrent networks and state spaces: their steps by hand, their gradients against finite differences, what they learn, and that
// a state space is a matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/recurrence/learning.h"
#include "engine/recurrence/network.h"
#include "engine/recurrence/text_learner.h"

namespace headlight::recurrence {
namespace {

// "hello" over {h, e, l, o}
const std::vector<std::int64_t> kHello = {0, 1, 2, 2, 3};

Settings settings_of(const char* kind, bool selective = true) {
  Settings s;
  s.kind = kind;
  s.units = 5;
  s.states = 3;
  s.selective = selective;
  s.seed = 7;
  return s;
}

double loss_of(Network network, std::size_t number, double by) {
  network.numbers[number] += by;
  return unfold(network, kHello).value().sum;
}

struct Each : testing::TestWithParam<std::pair<const char*, bool>> {
  Network network = draw(settings_of(GetParam().first, GetParam().second), 4).value();
};

TEST_P(Each, GradientsAreFiniteDifferences) {
  const Unfolded unfolded = unfold(network, kHello).value();
  const std::vector<double> gradients = loss_gradients(network, unfolded);
  double largest = 0;
  for (const double g : gradients) largest = std::max(largest, std::abs(g));
  ASSERT_GT(largest, 0.1);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const double h = 1e-5, expected = (loss_of(network, i, h) - loss_of(network, i, -h)) / (2 * h);
    EXPECT_NEAR(gradients[i], expected, 1e-6 * std::max(1.0, largest)) << i;
  }
}

// x_t is one-hot, so that its gradient in the place of its symbol is what a larger column of W_x at this step alone would do:
// with every symbol once, that of the column itself.
TEST_P(Each, InfluenceIsTheLengthOfTheJacobian) {
  const std::vector<std::int64_t> once = {2, 0, 3, 1};
  const Unfolded unfolded = unfold(network, once).value();
  const auto norms = influence(network, unfolded, 3).value();
  ASSERT_EQ(norms.size(), 4u);
  const Array& wx = network.array("wx");
  for (std::size_t t = 0; t < 4; ++t) {
    // d h / d x_t [:, s] = sum over rows r of (d h / d sum_r) W_x[r, s], and d h / d sum_r is that of the column of x_t's symbol.
    double squared = 0;
    std::vector<std::vector<double>> columns;  // d h / d W_x[r, symbol]
    for (std::int64_t r = 0; r < wx.rows; ++r) {
      const auto at = static_cast<std::size_t>(wx.at + r * wx.columns + once[t]);
      const auto hidden = [&](double by) {
        Network moved = network;
        moved.numbers[at] += by;
        const Tensor all = unfold(moved, once).value().hidden();
        std::vector<double> last;
        for (std::int64_t u = 0; u < 5; ++u) last.push_back(all.at({3, u}));
        return last;
      };
      const auto up = hidden(1e-5), down = hidden(-1e-5);
      auto& column = columns.emplace_back();
      for (std::size_t u = 0; u < up.size(); ++u) column.push_back((up[u] - down[u]) / 2e-5);
    }
    for (std::size_t u = 0; u < 5; ++u)
      for (std::int64_t s = 0; s < 4; ++s) {
        double d = 0;
        for (std::int64_t r = 0; r < wx.rows; ++r)
          d += columns[static_cast<std::size_t>(r)][u] * network.of("wx")[r * wx.columns + s];
        squared += d * d;
      }
    EXPECT_NEAR(norms[t], std::sqrt(squared), 1e-6 * std::max(1.0, norms[t])) << t;
  }
}

TEST_P(Each, LearnsHelloToTheEnd) {
  Settings s = network.settings;
  s.units = 12;
  const Network larger = draw(s, 4).value();
  const Learnt learnt = learn(larger, kHello, 300, 0.02).value();
  EXPECT_EQ(learnt.steps.front(), 0);
  EXPECT_EQ(learnt.kept.size(), learnt.steps.size());
  EXPECT_GT(learnt.losses.front(), 2);
  // The two l's are followed by different letters, which only a state tells apart.
  const Unfolded unfolded = unfold(learnt.kept.back(), kHello).value();
  for (std::int64_t t = 0; t < 4; ++t) EXPECT_GT(unfolded.guesses.at({t, kHello[static_cast<std::size_t>(t + 1)]}), 0.9) << t;
}

INSTANTIATE_TEST_SUITE_P(Recurrence, Each,
                         testing::Values(std::pair{"rnn", true}, std::pair{"lstm", true}, std::pair{"ssm", true},
                                         std::pair{"ssm", false}),
                         [](const auto& one) { return std::string(one.param.first) + (one.param.second ? "" : "_unselective"); });

TEST(Recurrence, AStepOfTheRnnByHand) {
  const Network n = draw(settings_of("rnn"), 4).value();
  const Unfolded unfolded = unfold(n, {1, 3}).value();
  for (std::int64_t u = 0; u < 5; ++u) {
    const double first = std::tanh(n.of("wx")[u * 4 + 1]);
    EXPECT_NEAR(unfolded.hidden().at({0, u}), first, 1e-15);
    double sum = n.of("wx")[u * 4 + 3];
    for (std::int64_t v = 0; v < 5; ++v) sum += n.of("wh")[u * 5 + v] * unfolded.hidden().at({0, v});
    EXPECT_NEAR(unfolded.hidden().at({1, u}), std::tanh(sum), 1e-15);
  }
  ASSERT_EQ(unfolded.losses.size(), 1u);
  EXPECT_NEAR(unfolded.sum, -std::log(unfolded.guesses.at({0, 3})), 1e-15);
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Gates i, f, g, o in turn; c = f c' + i g, h = o tanh(c), over whole texts in plain loops.
TEST(Recurrence, AnLstmIsItsFormulas) {
  const Network n = draw(settings_of("lstm"), 4).value();
  const std::vector<std::int64_t> tokens = {2, 0, 3, 3, 1, 2};
  const Unfolded unfolded = unfold(n, tokens).value();
  std::vector<double> h(5, 0), c(5, 0);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    double gates[4][5];
    for (std::int64_t g = 0; g < 4; ++g)
      for (std::int64_t u = 0; u < 5; ++u) {
        double sum = n.of("b")[g * 5 + u] + n.of("wx")[(g * 5 + u) * 4 + tokens[t]];
        for (std::int64_t v = 0; v < 5; ++v) sum += n.of("wh")[(g * 5 + u) * 5 + v] * h[static_cast<std::size_t>(v)];
        gates[g][u] = g == 2 ? std::tanh(sum) : sigmoid(sum);
      }
    for (std::size_t u = 0; u < 5; ++u) {
      c[u] = gates[1][u] * c[u] + gates[0][u] * gates[2][u];
      h[u] = gates[3][u] * std::tanh(c[u]);
      const auto at = static_cast<std::int64_t>(u), step = static_cast<std::int64_t>(t);
      EXPECT_NEAR(unfolded.parts[4].at({step, at}), c[u], 1e-14) << t << " " << u;
      EXPECT_NEAR(unfolded.hidden().at({step, at}), h[u], 1e-14) << t << " " << u;
    }
  }
}

// s = exp(A Delta) s' + Delta B u, y = C s + D u, A = -exp(a_log), Delta = softplus(W u + b), with and without selection.
TEST(Recurrence, AStateSpaceIsItsFormulas) {
  for (const bool selective : {true, false}) {
    const Network n = draw(settings_of("ssm", selective), 4).value();
    const std::int64_t states = n.settings.states;
    const std::vector<std::int64_t> tokens = {2, 0, 3, 3, 1, 2};
    const Unfolded unfolded = unfold(n, tokens).value();
    std::vector<double> s(static_cast<std::size_t>(5 * states), 0);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      double u[5];
      for (std::int64_t channel = 0; channel < 5; ++channel) u[channel] = n.of("wx")[channel * 4 + tokens[t]];
      const std::vector<double> b = state_space_vector(n, "b", u), c = state_space_vector(n, "c", u);
      for (std::int64_t channel = 0; channel < 5; ++channel) {
        double raw = n.of("b_delta")[channel];
        for (std::int64_t v = 0; selective && v < 5; ++v) raw += n.of("w_delta")[channel * 5 + v] * u[v];
        const double delta = std::log1p(std::exp(raw));
        double y = n.of("skip")[channel] * u[channel];
        for (std::int64_t k = 0; k < states; ++k) {
          double& state = s[static_cast<std::size_t>(channel * states + k)];
          state = std::exp(-std::exp(n.of("a_log")[channel * states + k]) * delta) * state +
                  delta * b[static_cast<std::size_t>(k)] * u[channel];
          y += c[static_cast<std::size_t>(k)] * state;
        }
        EXPECT_NEAR(unfolded.hidden().at({static_cast<std::int64_t>(t), channel}), y, 1e-13) << t << " " << channel;
      }
    }
  }
}

TEST(Recurrence, AnEchoStateNetworksReadOutIsFittedAndNothingElse) {
  Settings s = settings_of("esn");
  s.units = 20;
  s.scale = 0.9;
  const Network n = draw(s, 4).value();
  const Learnt learnt = learn(n, kHello, 50, 0.01).value();
  ASSERT_EQ(learnt.losses.size(), 2u);
  EXPECT_LT(learnt.losses[1], 0.1 * learnt.losses[0]);
  const auto& fitted = learnt.kept.back();
  const Array& wy = n.array("wy");
  for (std::int64_t i = 0; i < wy.at; ++i)
    EXPECT_EQ(fitted.numbers[static_cast<std::size_t>(i)], n.numbers[static_cast<std::size_t>(i)]) << i;
}

TEST(Recurrence, AStateSpaceIsALowerTriangularMatrix) {
  for (const bool selective : {true, false}) {
    const Network n = draw(settings_of("ssm", selective), 4).value();
    const Unfolded unfolded = unfold(n, {0, 1, 2, 2, 3, 0, 1, 3}).value();
    for (std::int64_t channel = 0; channel < 5; ++channel) {
      const Tensor m = unrolled(n, unfolded, channel).value();
      for (std::int64_t i = 0; i < 8; ++i) {
        double y = 0;
        for (std::int64_t j = 0; j < 8; ++j) {
          y += m.at({i, j}) * unfolded.delta_input.at({j, channel});
          if (j > i) {
            EXPECT_EQ(m.at({i, j}), 0);
          }
        }
        EXPECT_NEAR(y, unfolded.hidden().at({i, channel}), 1e-12) << i;
      }
    }
    // Without selection the matrix depends on the distance alone.
    const Tensor m = unrolled(n, unfolded, 0).value();
    EXPECT_EQ(std::abs(m.at({2, 1}) - m.at({6, 5})) < 1e-12, !selective);
  }
}

TEST(Recurrence, SmallWeightsVanishAndLargeOnesExplode) {
  Settings s = settings_of("rnn");
  s.units = 16;
  s.scale = 0.5;
  const auto small = gradient_lengths(draw(s, 4).value(), 100).value();
  ASSERT_EQ(small.size(), 101u);
  EXPECT_EQ(small.front(), 1);
  EXPECT_LT(small.back(), 1e-12);
  s.scale = 1;
  EXPECT_GT(gradient_lengths(draw(s, 4).value(), 100).value().back(), small.back());
  s.kind = "ssm";
  const auto space = gradient_lengths(draw(s, 4).value(), 100).value();
  EXPECT_TRUE(std::isfinite(space.back()));
}

TEST(Recurrence, AttentionReachesEveryTokenInOneStep) {
  const auto norms = attention_influence(kHello, 4, 8, 1, 4);
  ASSERT_EQ(norms.size(), 5u);
  for (const double norm : norms) EXPECT_GT(norm, 0);
  // The two l's are one vector: without positions they move the output alike.
  EXPECT_DOUBLE_EQ(norms[2], norms[3]);
}

TEST(Recurrence, WhatMakesNoSenseIsRefused) {
  Settings s = settings_of("rnn");
  s.units = 0;
  EXPECT_NE(draw(s, 4).error().sentence().find("0 units"), std::string::npos);
  s = settings_of("ssm");
  s.states = 65;
  EXPECT_FALSE(draw(s, 4).ok());
  s = settings_of("rnn");
  s.scale = -1;
  EXPECT_FALSE(draw(s, 4).ok());
  s.scale = std::nan("");
  EXPECT_FALSE(draw(s, 4).ok());
  EXPECT_FALSE(draw(settings_of("gru"), 4).ok());
  EXPECT_FALSE(draw(settings_of("rnn"), 0).ok());
  const Network n = draw(settings_of("rnn"), 4).value();
  EXPECT_FALSE(unfold(n, {}).ok());
  EXPECT_FALSE(unfold(n, {4}).ok());
  EXPECT_FALSE(unfold(n, std::vector<std::int64_t>(2000, 0)).ok());
  EXPECT_FALSE(learn(n, kHello, 0, 0.01).ok());
  EXPECT_FALSE(unrolled(n, unfold(n, kHello).value(), 0).ok());
}

TEST(Recurrence, TheScanAloneIsTheRecurrencesOwnOutput) {
  for (const bool selective : {true, false}) {
    const Network network = draw(settings_of("ssm", selective), 4).value();
    const Unfolded unfolded = unfold(network, kHello).value();
    for (std::int64_t channel = 0; channel < 5; ++channel) {
      const std::vector<double> y = scanned(network, unfolded, channel).value();
      ASSERT_EQ(y.size(), kHello.size());
      for (std::size_t t = 0; t < y.size(); ++t)
        EXPECT_NEAR(y[t], unfolded.hidden().at({static_cast<std::int64_t>(t), channel}), 1e-14);
    }
    EXPECT_FALSE(scanned(network, unfolded, 5).ok());
  }
  const Network other = draw(settings_of("rnn"), 4).value();
  EXPECT_FALSE(scanned(other, unfold(other, kHello).value(), 0).ok());
}

TEST(Recurrence, ALearnerInPartsIsOneThatLearnsAtOnce) {
  const Network network = draw(settings_of("lstm"), 4).value();
  const Learnt at_once = learn(network, kHello, 20, 0.02).value();
  Learner learner = Learner::begin(network, kHello, 0.02).value();
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(learner.step().ok());
  Learner copy = learner;
  for (int i = 7; i < 20; ++i) ASSERT_TRUE(copy.step().ok());
  EXPECT_EQ(copy.losses(), at_once.losses);
  EXPECT_EQ(copy.network().numbers, at_once.kept.back().numbers);
  EXPECT_EQ(learner.steps(), 7);
}

TEST(Recurrence, UnitsAreOrderedByWhatTheyRemember) {
  const Network network = draw(settings_of("lstm"), 4).value();
  const Unfolded unfolded = unfold(network, kHello).value();
  const std::vector<std::int64_t> order = by_memory(network, unfolded);
  ASSERT_EQ(order.size(), 5u);
  const auto forget = [&](std::int64_t unit) {
    double sum = 0;
    for (std::int64_t t = 0; t < 5; ++t) sum += unfolded.parts[1].at({t, unit});
    return sum;
  };
  for (std::size_t i = 1; i < order.size(); ++i) EXPECT_GE(forget(order[i - 1]), forget(order[i]));
}

}  // namespace
}  // namespace headlight::recurrence
