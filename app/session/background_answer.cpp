#include "app/session/background_answer.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/core/background_thread.h"

namespace headlight {

struct BackgroundAnswer::State {
  std::function<bool()> busy;
  std::function<void()> wake;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  Work wanted;      // null: nothing is to begin
  std::string key;  // whose answer `answer` is
  Answer answer;
  CancelSource stop;
  bool quit = false;
  std::thread thread;

  void show(const CancelToken& cancel, std::int64_t done, std::int64_t total) {
    while (busy && busy() && !cancel.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    {
      const std::lock_guard lock(mutex);
      if (cancel.cancelled()) return;
      answer.done = done;
      answer.total = total;
    }
    if (wake) wake();
  }

  void loop() {
    become_background_thread();
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return quit || wanted; });
      if (quit) return;
      const Work work = std::exchange(wanted, nullptr);
      stop = CancelSource();
      const CancelToken cancel = stop.token();
      lock.unlock();
      auto made = work(cancel, [&](std::int64_t done, std::int64_t total) { show(cancel, done, total); });
      lock.lock();
      if (cancel.cancelled()) continue;
      answer.running = false;
      if (made.ok())
        answer.value = std::move(made).value();
      else
        answer.error = std::make_shared<const Error>(made.error());
      changed.notify_all();
      lock.unlock();
      if (wake) wake();
      lock.lock();
    }
  }
};

BackgroundAnswer::BackgroundAnswer(std::function<bool()> busy, std::function<void()> wake) : state_(std::make_unique<State>()) {
  state_->busy = std::move(busy);
  state_->wake = std::move(wake);
}

BackgroundAnswer::~BackgroundAnswer() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->quit = true;
    state_->stop.cancel();
  }
  state_->changed.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
}

BackgroundAnswer::Answer BackgroundAnswer::of(std::string_view key, const std::function<Work()>& work) {
  const std::lock_guard lock(state_->mutex);
  if (state_->key == key) return state_->answer;
  state_->key = key;
  state_->wanted = work();
  state_->answer = {};
  state_->answer.running = true;
  state_->stop.cancel();
  if (!state_->thread.joinable()) state_->thread = std::thread([state = state_.get()] { state->loop(); });
  state_->changed.notify_all();
  return state_->answer;
}

BackgroundAnswer::Answer BackgroundAnswer::asked(std::string_view key) const {
  const std::lock_guard lock(state_->mutex);
  return state_->key == key ? state_->answer : Answer();
}

void BackgroundAnswer::give_up() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->answer.running) return;
  state_->stop.cancel();
  state_->wanted = nullptr;
  state_->key.clear();
  state_->answer = {};
  state_->changed.notify_all();
}

bool BackgroundAnswer::running() const {
  const std::lock_guard lock(state_->mutex);
  return state_->answer.running;
}

void BackgroundAnswer::wait() const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return !state_->answer.running; });
}

}  // namespace headlight
