#include "app/session/role_finder.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "engine/insight/cached_heads.h"

namespace headlight {

struct RoleFinder::State {
  std::function<void()> wake;
  std::function<bool()> busy;
  bool measures = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<std::string> wanted;  // the model to look for next
  std::string model;                  // whose answer `answer` is
  Answer answer;
  CancelSource stop;
  bool quit = false;
  std::thread thread;

  // The scores of a model, from the cache or measured.
  Result<MeasuredHeads> find(const std::string& name, const CancelToken& cancel) {
    HL_ASSIGN(auto stored, open_stored_model(name));
    if (auto cached = cached_heads(*stored); cached.ok() || !measures) return cached;
    return measure_heads(stored, cancel, [&](std::int64_t done, std::int64_t total) {
      while (busy && busy() && !cancel.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      {
        const std::lock_guard lock(mutex);
        answer.done = done;
        answer.total = total;
      }
      if (wake) wake();
    });
  }

  void loop() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return quit || wanted; });
      if (quit) return;
      const std::string name = *std::exchange(wanted, std::nullopt);
      stop = CancelSource();
      const CancelToken cancel = stop.token();
      lock.unlock();
      auto found = find(name, cancel);
      lock.lock();
      if (wanted || quit) continue;
      answer.running = false;
      if (found.ok())
        answer.heads = std::make_shared<const MeasuredHeads>(std::move(found).value());
      else if (measures)
        answer.error = std::make_shared<const Error>(found.error());
      changed.notify_all();
      lock.unlock();
      if (wake) wake();
      lock.lock();
    }
  }
};

RoleFinder::RoleFinder(std::function<void()> wake, std::function<bool()> busy, bool measures)
    : state_(std::make_shared<State>()) {
  state_->wake = std::move(wake);
  state_->busy = std::move(busy);
  state_->measures = measures;
}

RoleFinder::~RoleFinder() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->quit = true;
    state_->stop.cancel();
  }
  state_->changed.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
}

RoleFinder::Answer RoleFinder::of(const std::string& model) {
  const std::lock_guard lock(state_->mutex);
  if (state_->model == model) return state_->answer;
  state_->model = model;
  state_->wanted = model;
  state_->answer = {};
  state_->answer.running = true;
  state_->stop.cancel();
  if (!state_->thread.joinable()) state_->thread = std::thread([state = state_.get()] { state->loop(); });
  state_->changed.notify_all();
  return state_->answer;
}

RoleFinder::Answer RoleFinder::asked(const std::string& model) const {
  const std::lock_guard lock(state_->mutex);
  return state_->model == model ? state_->answer : Answer();
}

void RoleFinder::wait() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return !state_->answer.running; });
}

}  // namespace headlight
