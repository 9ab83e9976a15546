// Background threads have all of their work done at low priority, and by threads of their own; what computes for a window gives
// way to the window's thread.
#include "engine/core/background_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "engine/core/parallel.h"
#if defined(__linux__)
#include <sys/resource.h>
#endif

namespace headlight {
namespace {

struct Seen {
  std::set<std::thread::id> threads;
  std::vector<int> nice;
};

// The threads that work on one loop, each long enough for all of them to take part.
Seen work() {
  Seen seen;
  std::mutex mutex;
  parallel_for(64, 1, [&](std::int64_t, std::int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(mutex);
    seen.threads.insert(std::this_thread::get_id());
#if defined(__linux__)
    seen.nice.push_back(getpriority(PRIO_PROCESS, 0));
#endif
  });
  return seen;
}

TEST(BackgroundThread, NoneOfItsThreadsTakesTheProcessorsFromTheOthers) {
  if (thread_count() < 2) GTEST_SKIP() << "there is one thread";
  Seen behind;
  std::promise<void> worked, seen;
  std::thread background([&] {
    become_background_thread();
    behind = work();
    worked.set_value();
    seen.get_future().wait();  // it lives on, so that no id stands for two threads
  });
  worked.get_future().wait();
  const Seen before = work();
  seen.set_value();
  background.join();
  EXPECT_GE(behind.threads.size(), 2u);
  for (const auto thread : behind.threads) EXPECT_FALSE(before.threads.contains(thread)) << "the pools have no thread in common";
#if defined(__linux__)
  const int own = getpriority(PRIO_PROCESS, 0);
  for (const int nice : behind.nice) EXPECT_GE(nice, kBackgroundNice);
  for (const int nice : before.nice) EXPECT_EQ(nice, own) << "also where the background began first";
#endif
}

TEST(BackgroundThread, WhatComputesForAWindowGivesWayToItsThread) {
#if defined(__linux__)
  const int own = getpriority(PRIO_PROCESS, 0);
  Seen window;
  std::thread computing([&] {
    become_computing_thread();
    window = work();
  });
  computing.join();
  if (thread_count() > 1) {
    EXPECT_GE(window.threads.size(), 2u);
  }
  for (const int nice : window.nice) EXPECT_GE(nice, kComputingNice) << "its helpers, too";
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), own) << "the thread that it gives way to stays as it is";
#else
  GTEST_SKIP() << "threads have no nice values of their own here";
#endif
}

}  // namespace
}  // namespace headlight
