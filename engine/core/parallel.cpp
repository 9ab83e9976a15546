#include "engine/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#endif

#include "engine/core/background_thread.h"

namespace headlight {
namespace {

thread_local bool inside_parallel_for = false;
thread_local bool in_background = false;
thread_local bool computes_for_window = false;

// Gives the calling thread at least this nice value; it cannot have a lower one again.
void be_at_least(int nice) {
#if defined(__linux__)
  if (getpriority(PRIO_PROCESS, 0) < nice) (void)setpriority(PRIO_PROCESS, 0, nice);  // of this thread alone
#else
  (void)nice;
#endif
}

// Whether it happens soon: waits for about 50 us without sleeping. A run is hundreds of small steps, one right after the other;
// to put threads to sleep between them and to wake them costs more than many of these steps take.
template <class Happened>
bool happens_soon(Happened happened) {
  constexpr auto kSoon = std::chrono::microseconds(50);
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 16; ++i) {
      if (happened()) return true;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() - begin < kSoon);
  return happened();
}

// One call of parallel_for. A helper thread may find it after its owner has returned, so ownership is shared; `next` is then
// already past the end, and the helper touches nothing else.
struct Job {
  std::int64_t count = 0;
  std::int64_t grain = 1, shares = 1;
  const FunctionRef<void(std::int64_t, std::int64_t)>* body = nullptr;
  CancelToken cancel;
  bool for_window = false;
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> finished{0};
  std::atomic<bool> skipped{false};
  std::mutex mutex;
  std::condition_variable done;

  // The next range: a share of what is left, so that ranges get shorter and threads end at about the same time, also where one
  // of them is slower. Empty at the end.
  std::pair<std::int64_t, std::int64_t> take() {
    std::int64_t begin = next.load(), end = begin;
    do {
      if (begin >= count) return {count, count};
      end = std::min(count, begin + std::max(grain, (count - begin) / shares));
    } while (!next.compare_exchange_weak(begin, end));
    return {begin, end};
  }

  void work() {
    for (;;) {
      const auto [begin, end] = take();
      if (begin >= end) return;
      if (cancel.cancelled()) {
        skipped = true;
      } else {
        (*body)(begin, end);
      }
      if (finished.fetch_add(end - begin) + (end - begin) == count) {
        std::lock_guard lock(mutex);
        done.notify_all();
      }
    }
  }
};

// Its threads are made by the first call that needs it.
class Pool {
 public:
  Pool(int helpers, bool background) {
    for (int i = 0; i < helpers; ++i)
      threads_.emplace_back([this, background] {
        if (background) become_background_thread();
        loop();
      });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  void offer(const std::shared_ptr<Job>& job) {
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back(job);
      ++offers_;
    }
    wake_.notify_all();
  }
  void withdraw(const std::shared_ptr<Job>& job) {
    std::lock_guard lock(mutex_);
    std::erase(jobs_, job);
  }

 private:
  void loop() {
    inside_parallel_for = true;
    while (!stop_) {
      const std::uint64_t seen = offers_;  // read before looking, so that no later offer is missed
      if (const std::shared_ptr<Job> job = take()) {
        if (job->for_window && !computes_for_window) become_computing_thread();
        job->work();
        continue;
      }
      const auto offered = [&] { return stop_ || offers_ != seen; };
      if (happens_soon(offered)) continue;
      std::unique_lock lock(mutex_);
      wake_.wait(lock, offered);
    }
  }
  // The first job that has ranges left, or null.
  std::shared_ptr<Job> take() {
    const std::lock_guard lock(mutex_);
    std::erase_if(jobs_, [](const std::shared_ptr<Job>& job) { return job->next.load() >= job->count; });
    return jobs_.empty() ? nullptr : jobs_.front();
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::shared_ptr<Job>> jobs_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint64_t> offers_{0};  // so far
  std::atomic<bool> stop_{false};
};

Pool& interactive_pool() {
  static Pool pool(thread_count() - 1, false);
  return pool;
}
// Jobs of the one pool never wait for those of the other.
Pool& background_pool() {
  static Pool pool(thread_count() - 1, true);
  return pool;
}

}  // namespace

void become_background_thread() {
  in_background = true;
  be_at_least(kBackgroundNice);
}

void become_computing_thread() {
  computes_for_window = true;
  be_at_least(kComputingNice);
}

int thread_count() {
  static const int count = [] {
    if (const char* text = std::getenv("HEADLIGHT_THREADS")) {
      const int asked = std::atoi(text);
      if (asked >= 1 && asked <= 1024) return asked;
    }
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return count;
}

bool parallel_for(std::int64_t count, std::int64_t grain, FunctionRef<void(std::int64_t, std::int64_t)> body,
                  const CancelToken& cancel) {
  if (count <= 0) return !cancel.cancelled();
  grain = std::max<std::int64_t>(1, grain);
  const int threads = thread_count();
  if (inside_parallel_for || threads == 1 || count <= grain) {
    for (std::int64_t begin = 0; begin < count; begin += grain) {
      if (cancel.cancelled()) return false;
      body(begin, std::min(count, begin + grain));
    }
    return true;
  }
  Pool& pool = in_background ? background_pool() : interactive_pool();
  auto job = std::make_shared<Job>();
  job->count = count;
  job->grain = grain;
  job->shares = 2 * std::int64_t{threads};
  job->body = &body;
  job->cancel = cancel;
  job->for_window = computes_for_window;
  pool.offer(job);
  inside_parallel_for = true;
  job->work();
  inside_parallel_for = false;
  const auto finished = [&] { return job->finished.load() == count; };
  if (!happens_soon(finished)) {
    std::unique_lock lock(job->mutex);
    job->done.wait(lock, finished);
  }
  pool.withdraw(job);
  return !job->skipped;
}

void parallel_for_all(std::span<const std::int64_t> counts, std::int64_t grain,
                      FunctionRef<void(std::size_t, std::int64_t, std::int64_t)> body) {
  struct Range {
    std::size_t which;
    std::int64_t begin, end;
  };
  std::vector<Range> ranges;
  for (std::size_t which = 0; which < counts.size(); ++which)
    for (std::int64_t begin = 0; begin < counts[which]; begin += grain)
      ranges.push_back({which, begin, std::min(counts[which], begin + grain)});
  parallel_for(static_cast<std::int64_t>(ranges.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Range& range = ranges[static_cast<std::size_t>(i)];
      body(range.which, range.begin, range.end);
    }
  });
}

}  // namespace headlight
