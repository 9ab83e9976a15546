// The background lane: benchmarks, training, exports and derived values run one after the other on one thread. Edits come first:
// no job begins while the interactive worker computes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/core/cancel.h"

namespace headlight {

class BackgroundLane {
 public:
  using Job = std::function<void(const CancelToken&)>;
  // `busy` says whether the interactive worker is computing; `notify` is called on the lane's thread after each job.
  explicit BackgroundLane(std::function<bool()> busy = {}, std::function<void()> notify = {});
  ~BackgroundLane();  // cancels the running job, drops waiting jobs, joins the thread

  void add(Job job);
  void wait();  // returns once no job runs or waits
  bool working() const;

 private:
  void loop();

  std::function<bool()> busy_;
  std::function<void()> notify_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  CancelSource stop_;
  bool running_ = false, quit_ = false;
  std::thread thread_;
};

}  // namespace headlight
