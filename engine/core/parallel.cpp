#include "engine/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace headlight {
namespace {

thread_local bool inside_parallel_for = false;

// One call of parallel_for. A helper thread may find it after its owner has returned, so ownership is shared; `next` is then
// already past the end, and the helper touches nothing else.
struct Job {
  std::int64_t count = 0;
  std::int64_t chunk = 1;
  const std::function<void(std::int64_t, std::int64_t)>* body = nullptr;
  CancelToken cancel;
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> finished{0};
  std::atomic<bool> skipped{false};
  std::mutex mutex;
  std::condition_variable done;

  void work() {
    for (;;) {
      const std::int64_t begin = next.fetch_add(chunk);
      if (begin >= count) return;
      const std::int64_t end = std::min(count, begin + chunk);
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

class Pool {
 public:
  explicit Pool(int helpers) {
    for (int i = 0; i < helpers; ++i) threads_.emplace_back([this] { loop(); });
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
    for (;;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
        if (stop_) return;
        job = jobs_.front();
        if (job->next.load() >= job->count) {  // all ranges were handed out
          jobs_.erase(jobs_.begin());
          continue;
        }
      }
      job->work();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::shared_ptr<Job>> jobs_;
  std::vector<std::thread> threads_;
  bool stop_ = false;
};

}  // namespace

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

bool parallel_for(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& body,
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
  static Pool pool(threads - 1);
  auto job = std::make_shared<Job>();
  job->count = count;
  // About four ranges per thread balance uneven work without many hand-outs.
  job->chunk = std::max(grain, (count + 4 * threads - 1) / (4 * threads));
  job->body = &body;
  job->cancel = cancel;
  pool.offer(job);
  inside_parallel_for = true;
  job->work();
  inside_parallel_for = false;
  {
    std::unique_lock lock(job->mutex);
    job->done.wait(lock, [&] { return job->finished.load() == count; });
  }
  pool.withdraw(job);
  return !job->skipped;
}

}  // namespace headlight
