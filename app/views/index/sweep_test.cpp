// The Index lab's job: a sweep over sizes.
#include "app/views/index/sweep.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace headlight::views::lab {
namespace {

TEST(IndexSweep, MeasuresItsPointsAndKeepsTheNewest) {
  int woken = 0;
  Sweep sweep({}, [&] { ++woken; });
  const SweepPoint a{4, 4, 8, 16}, b{8, 4, 8, 16};
  sweep.start({a, b});
  ASSERT_EQ(sweep.results().size(), 2u);
  EXPECT_EQ(woken, 2);
  EXPECT_FALSE(sweep.running());
  for (const SweepPoint& point : sweep.results()) {
    EXPECT_GT(point.index, 0);
    EXPECT_GT(point.shortcut, 0);
    EXPECT_GT(point.written, 0);
  }
  sweep.start({a});
  EXPECT_EQ(sweep.results().size(), 2u);
  EXPECT_EQ(sweep.version(), 3u);
  // Heads, padding, lengths and what is kept make another point.
  SweepPoint heads = a, kept = a, masked = a;
  heads.heads = 2;
  kept.pooled = false;
  masked.masked = masked.word_lengths = true;
  sweep.start({heads, kept, masked});
  ASSERT_EQ(sweep.results().size(), 5u);
  for (const SweepPoint& point : sweep.results()) {
    EXPECT_GT(point.index, 0);
    EXPECT_GT(point.shortcut, 0);
    EXPECT_GT(point.written, 0);
  }
  SweepPoint broken = a;
  broken.d = 0;
  sweep.start({broken});
  ASSERT_TRUE(sweep.error());
  EXPECT_EQ(sweep.results().size(), 5u);
}

// In a lane a cancelled sweep keeps the results it had.
TEST(IndexSweep, StopsWhenCancelled) {
  std::vector<std::function<void(const CancelToken&)>> jobs;
  Sweep sweep([&](std::function<void(const CancelToken&)> job) { jobs.push_back(std::move(job)); });
  sweep.start({{4, 4, 8, 16}, {8, 4, 8, 16}, {16, 4, 8, 16}});
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_TRUE(sweep.running());
  const auto first = jobs[0];
  first({});
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(sweep.results().size(), 1u);
  sweep.cancel();
  EXPECT_FALSE(sweep.running());
  const auto second = jobs[1];
  second({});
  EXPECT_EQ(jobs.size(), 2u);
  EXPECT_EQ(sweep.results().size(), 1u);
}

}  // namespace
}  // namespace headlight::views::lab
