// A state space's channel by its recurrence and as a matrix, and layers that keep nothing but their state.
#include "engine/recurrence/channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/backends/backends.h"
#include "engine/bench/benches.h"
#include "engine/recurrence/layer.h"

namespace headlight::recurrence {
namespace {

double apart(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// M_ij = C_i A_i ... A_{j+1} B_j with a product a step, as it is written down.
TEST(Channel, ItsMatrixIsTheProductsOfItsSteps) {
  const Channel channel = drawn_channel(7, 3, 4);
  const Tensor matrix = matrix_of(channel).value();
  for (std::int64_t i = 0; i < 7; ++i)
    for (std::int64_t j = 0; j < 7; ++j) {
      double expected = i == j ? channel.skip : 0;
      for (std::int64_t s = 0; s < 3 && j <= i; ++s) {
        const auto at = [&](std::int64_t t) { return static_cast<std::size_t>(t * 3 + s); };
        double product = channel.c[at(i)];
        for (std::int64_t k = i; k > j; --k)
          product *= std::exp(channel.delta[static_cast<std::size_t>(k)] * channel.a[static_cast<std::size_t>(s)]);
        expected += product * channel.delta[static_cast<std::size_t>(j)] * channel.b[at(j)];
      }
      EXPECT_NEAR(matrix.at({i, j}), expected, 1e-12) << i << ' ' << j;
    }
}

TEST(Channel, ScanAndMatrixAgree) {
  for (const std::int64_t steps : {1, 2, 300}) {
    const Channel channel = drawn_channel(steps, 16, 1);
    EXPECT_LT(apart(scan(channel).value(), matrix_times(matrix_of(channel).value(), channel.u)), 1e-10) << steps;
  }
}

TEST(Channel, CancelledWorkEnds) {
  CancelSource source;
  source.cancel();
  const Channel channel = drawn_channel(8, 2, 1);
  EXPECT_FALSE(scan(channel, source.token()).ok());
  EXPECT_FALSE(matrix_of(channel, source.token()).ok());
}

TEST(Channel, BothWaysAreMeasuredAndCompared) {
  bench::Request request;
  request.backend = backends::open("cpu").value();
  request.tokens = 40;
  request.effort.seconds = 0.01;
  request.effort.least_rounds = 1;
  const auto rows = bench::scan_and_matrix(request, 4, {}).value();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].variant, "scan");
  EXPECT_FALSE(rows[0].samples.empty() || rows[1].samples.empty());
  ASSERT_TRUE(rows[1].error.has_value());
  EXPECT_LT(rows[1].error->max_abs, 1e-5);
  // Operations: of the scan in proportion to the steps, of the matrix to their square.
  request.tokens = 80;
  const auto twice = bench::scan_and_matrix(request, 4, {}).value();
  EXPECT_DOUBLE_EQ(twice[0].flops, 2 * rows[0].flops);
  EXPECT_NEAR(twice[1].flops / rows[1].flops, 4, 0.06);
}

// Rows that are one-hot are tokens.
TEST(RecurrentLayer, GivesTheStatesOfTheUnfoldedNetwork) {
  const std::vector<std::int64_t> tokens = {0, 1, 2, 2, 3, 1};
  for (const char* kind : {"rnn", "lstm", "esn", "ssm"}) {
    for (const bool selective : {true, false}) {
      Settings settings;
      settings.kind = kind;
      settings.units = 6;
      settings.states = 3;
      settings.selective = selective;
      const Network network = draw(settings, 4).value();
      const Unfolded unfolded = unfold(network, tokens).value();
      for (const DType real : {DType::f64, DType::f32}) {
        Tensor x(DType::f64, {6, 4});
        for (std::int64_t t = 0; t < 6; ++t) x.data<double>()[t * 4 + tokens[static_cast<std::size_t>(t)]] = 1;
        Tensor out(real, {6, 6});
        ASSERT_TRUE(Layer::of(network, real)->run(x.as(real), out, {}).ok());
        EXPECT_LT(difference(out.as(DType::f64), unfolded.hidden()).max_abs, real == DType::f64 ? 1e-12 : 1e-5) << kind;
      }
    }
  }
}

}  // namespace
}  // namespace headlight::recurrence
