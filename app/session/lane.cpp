#include "app/session/lane.h"

#include <chrono>

#include "engine/core/background_thread.h"

namespace headlight {

BackgroundLane::BackgroundLane(std::function<bool()> busy, std::function<void()> notify)
    : busy_(std::move(busy)), notify_(std::move(notify)), thread_([this] {
        become_computing_thread();
        loop();
      }) {}

BackgroundLane::~BackgroundLane() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
    stop_.cancel();
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundLane::add(Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void BackgroundLane::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return (jobs_.empty() && !running_) || quit_; });
}

bool BackgroundLane::working() const {
  const std::lock_guard lock(mutex_);
  return running_ || !jobs_.empty();
}

void BackgroundLane::loop() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !jobs_.empty() || quit_; });
    if (quit_) return;
    if (busy_ && busy_()) {
      changed_.wait_for(lock, 2ms, [this] { return quit_; });
      continue;
    }
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    running_ = true;
    lock.unlock();
    job(stop_.token());
    job = nullptr;
    if (notify_) notify_();
    lock.lock();
    running_ = false;
    changed_.notify_all();
  }
}

}  // namespace headlight
