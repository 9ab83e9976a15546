// The timing harness and the counted costs.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "app/cli/bench.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/linear.h"

namespace headlight::bench {
namespace {

using namespace backends;

TEST(Bench, Percentiles) {
  EXPECT_EQ(percentile({}, 0.5), 0);
  EXPECT_EQ(percentile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_NEAR(percentile({10, 20}, 0.9), 19, 1e-12);
  EXPECT_EQ(percentile({5}, 0.99), 5);
}

// Every contender runs in every round, in turn, and its inputs rotate.
TEST(Bench, ContendersTakeTurns) {
  std::string order;
  std::vector<int> rounds;
  const auto slow = [&](char name) {
    return [&order, &rounds, name](int round) {
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(21)) {
      }
      order += name;
      if (name == 'a') rounds.push_back(round);
      return Status{};
    };
  };
  const auto rows = measure({{Row{}, slow('a')}, {Row{}, slow('b')}}, {0.0, 3}, {}, {});
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(order, "aaabbbababab");  // three warm-up runs each, not counted, then turns
  EXPECT_EQ(rounds, (std::vector<int>{0, 1, 2, 0, 1, 2}));
  for (const Row& row : *rows) EXPECT_EQ(row.samples.size(), 3u);
}

TEST(Bench, StopsWhenCancelledAndPassesErrorsOn) {
  CancelSource source;
  source.cancel();
  const auto stopped = measure({{Row{}, [](int) { return Status{}; }}}, {}, source.token(), {});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  const auto failed = measure({{Row{}, [](int) { return Status{invalid("broken")}; }}}, {}, {}, {});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().what, "broken");
}

// Counted by hand at the notebook's sizes: 25.7 GFLOP written out, about 0.2 by index.
TEST(Bench, CostsAtTheNotebooksSizes) {
  Isdpa op;
  op.words = 500;
  op.length = 32;
  op.vocabulary = 64;
  op.d = 512;
  EXPECT_NEAR(cost_of(op, DType::f32).flops * 1e-9, 0.215, 0.002);
  EXPECT_NEAR(cost_of(op, DType::f32, true).flops * 1e-9, 0.055, 0.002);
  // The least traffic, in MB: F, P, three weights, ids and the result; or the table and V's rows instead of the first five.
  EXPECT_NEAR(cost_of(op, DType::f32).bytes * 1e-6, 4.43, 0.01);
  EXPECT_NEAR(cost_of(op, DType::f32, true).bytes * 1e-6, (96 * 96 + 96 * 512 + 16000 + 500 * 512) * 4e-6, 1e-3);
  // 16,000 draws from 65,536 symbols yield 14,197 different ones: three projections of these and of 32 positions, and the words'
  // own scores.
  op.vocabulary = 65536;
  const double rows = 65536 * (1 - std::pow(1 - 1.0 / 65536, 16000.0)) + 32, cells = 500.0 * 32 * 32;
  EXPECT_NEAR(rows, 14229, 1);
  EXPECT_NEAR(cost_of(op, DType::f32).flops, 6 * rows * 512 * 512 + 2 * cells * 512 + 11 * cells + 4 * 500 * 32 * 512.0, 1e3);
  op.cached = true;  // other words may come, so all rows are kept
  EXPECT_NEAR(cost_of(op, DType::f32).flops, 6 * 65568.0 * 512 * 512 + 2 * cells * 512 + 11 * cells + 4 * 500 * 32 * 512.0, 1e3);
  op.cached = false;
  op.vocabulary = 64;
  op.method = Isdpa::Method::direct;
  EXPECT_NEAR(cost_of(op, DType::f32).flops * 1e-9, 25.72, 0.01);
  const Cost linear = cost_of(Linear{2, 3, 4, true}, DType::f32);
  EXPECT_EQ(linear.flops, 2 * 2 * 3 * 4 + 8);
  EXPECT_EQ(linear.bytes, 4 * (6 + 12 + 4 + 8));
}

TEST(Bench, EveryBenchmarkIsRegisteredOnce) {
  EXPECT_EQ(cli::benches().duplicate(), "");
  for (const char* id : {"isdpa", "sdpa", "forward", "keystroke", "frame"}) EXPECT_NE(cli::benches().find(id), nullptr) << id;
}

}  // namespace
}  // namespace headlight::bench
