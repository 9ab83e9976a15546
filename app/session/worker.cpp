#include "app/session/worker.h"

#include <chrono>

#include "engine/core/background_thread.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight {

double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Worker::Compute run_on_backend() {
  return [cache = std::make_shared<StepCache>()](const Document& document,
                                                 const CancelToken& cancel) -> Result<std::shared_ptr<const Trace>> {
    RunOptions options;
    options.cache = cache.get();
    return run_anywhere(document, cancel, options);
  };
}

Worker::Worker(Compute compute, std::function<void()> notify)
    : compute_(std::move(compute)), notify_(std::move(notify)), thread_([this] {
        become_computing_thread();
        loop();
      }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
    running_.cancel();
  }
  changed_.notify_all();
  thread_.join();
}

std::uint64_t Worker::submit(Document document) {
  std::uint64_t generation = 0;
  {
    const std::lock_guard lock(mutex_);
    next_ = std::move(document);
    running_.cancel();
    generation = ++submitted_;
    newest_at_ = steady_seconds();
    if (waiting_since_ == 0) waiting_since_ = newest_at_;
  }
  changed_.notify_all();
  return generation;
}

std::shared_ptr<const Published> Worker::latest() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

bool Worker::computing() const {
  const std::lock_guard lock(mutex_);
  return published_->generation != submitted_;
}

double Worker::computing_for() const {
  const std::lock_guard lock(mutex_);
  return waiting_since_ > 0 ? steady_seconds() - waiting_since_ : 0.0;
}

std::uint64_t Worker::submitted() const {
  const std::lock_guard lock(mutex_);
  return submitted_;
}

void Worker::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return published_->generation == submitted_ || quit_; });
}

void Worker::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return next_.has_value() || quit_; });
    if (quit_) return;
    const Document document = std::move(*next_);
    next_.reset();
    running_ = CancelSource();
    const CancelToken cancel = running_.token();
    const std::uint64_t generation = submitted_;
    lock.unlock();
    Result<std::shared_ptr<const Trace>> result = compute_(document, cancel);
    lock.lock();
    if (generation != submitted_) continue;  // stale: a newer document is waiting
    auto published = std::make_shared<Published>();
    published->generation = generation;
    published->seconds = steady_seconds() - newest_at_;
    if (result.ok()) {
      published->trace = std::move(result).value();
    } else {
      published->trace = published_->trace;  // the last good trace stays visible, dimmed
      published->error = result.error();
    }
    published_ = std::move(published);
    waiting_since_ = 0;
    lock.unlock();
    changed_.notify_all();
    if (notify_) notify_();
    lock.lock();
  }
}

}  // namespace headlight
