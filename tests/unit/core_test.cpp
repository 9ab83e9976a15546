#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/core/parameter.h"
#include "engine/core/rng.h"
#include "engine/core/tensor.h"

namespace headlight {
namespace {

TEST(Rng, SameNumbersOnEveryPlatform) {
  // Recorded values: if they change, the weights of every saved session change.
  const Rng rng(7, "layer.0.wq");
  EXPECT_EQ(rng.bits(0, 0), 0x7c012bc7775aa406ULL);
  EXPECT_EQ(rng.bits(12345, 67), 0x7099a7afa1c80251ULL);
  EXPECT_EQ(rng.normal(0, 0), -0x1.4090346afa43ep-5);
  EXPECT_EQ(rng.normal(3, 2), -0x1.6589958d3eba6p+0);
  EXPECT_EQ(rng.normal(112, 9), -0x1.41c249c7c4fb6p+1);  // in the tail, through the logarithm
  EXPECT_NE(rng.bits(0, 0), rng.bits(0, 1));
  EXPECT_NE(rng.bits(0, 1), rng.bits(1, 0));
  EXPECT_NE(rng.bits(0, 0), Rng(8, "layer.0.wq").bits(0, 0));
  EXPECT_NE(rng.bits(0, 0), Rng(7, "layer.0.wk").bits(0, 0));
}

TEST(Rng, NormalHasMeanZeroAndVarianceOne) {
  const Rng rng(1, "normal");
  const int n = 200000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = rng.normal(static_cast<std::uint64_t>(i), 3);
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
  }
  // Standard errors: 1/sqrt(n) = 0.0022 and sqrt(2/n) = 0.0032; five of them.
  EXPECT_NEAR(sum / n, 0.0, 0.0112);
  EXPECT_NEAR(squares / n, 1.0, 0.0158);
}

TEST(ParallelFor, CoversEveryIndexOnce) {
  for (const std::int64_t count : {0, 1, 2, 31, 1000, 100003}) {
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
    EXPECT_TRUE(parallel_for(count, 7, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
    }));
    for (const auto& n : seen) ASSERT_EQ(n.load(), 1);
  }
}

TEST(ParallelFor, StopsWhenCancelled) {
  CancelSource source;
  source.cancel();
  bool called = false;
  EXPECT_FALSE(parallel_for(
      1000, 1, [&](std::int64_t, std::int64_t) { called = true; }, source.token()));
  EXPECT_FALSE(called);
}

TEST(Tensor, ViewsShareStorageAndKeepTheRightElements) {
  const Tensor t = Tensor::of<float>({0, 1, 2, 3, 4, 5}, {2, 3}, {"row", "column"});
  EXPECT_EQ(t.at({1, 2}), 5);
  EXPECT_EQ(t.permuted({1, 0}).at({2, 1}), 5);
  EXPECT_FALSE(t.permuted({1, 0}).contiguous());
  EXPECT_EQ(t.permuted({1, 0}).compact().values<float>()[1], 3);
  EXPECT_EQ(t.select(0, 1).at({0}), 3);
  EXPECT_EQ(t.slice(1, 1, 3).compact().values<float>()[2], 4);
  EXPECT_EQ(t.slice(0, 0, 1).broadcast_to({4, 3}).at({3, 2}), 2);
  EXPECT_EQ(t.as(DType::f64).at({1, 0}), 3);
}

TEST(Parameter, RefusesWhatIsOutOfRangeAndSaysTheRange) {
  const Parameter window{"size", "size", "keys on each side", Parameter::Kind::integer, std::int64_t{4}, 0, 100, {}};
  EXPECT_TRUE(parse_value(window, "4").ok());
  EXPECT_FALSE(parse_value(window, "101").ok());
  EXPECT_FALSE(parse_value(window, "4x").ok());
  EXPECT_NE(parse_value(window, "-1").error().mend.english().find("0 to 100"), std::string::npos);
}

}  // namespace
}  // namespace headlight
