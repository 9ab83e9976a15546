#include "app/panels/why/patcher.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "engine/backends/backends.h"
#include "engine/core/background_thread.h"

namespace headlight::panels {

struct Patcher::State {
  std::function<bool()> busy;
  std::function<void()> wake;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::optional<Request> wanted;
  std::string key;  // whose answer `answer` is
  Answer answer;
  CancelSource stop;
  bool quit = false;
  std::thread thread;

  void loop() {
    become_background_thread();
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return quit || wanted; });
      if (quit) return;
      const Request request = *std::exchange(wanted, std::nullopt);
      stop = CancelSource();
      const CancelToken cancel = stop.token();
      lock.unlock();
      auto made = patched(request, cancel, [&](std::int64_t done, std::int64_t total) {
        while (busy && busy() && !cancel.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        {
          const std::lock_guard inner(mutex);
          if (cancel.cancelled()) return;
          answer.done = done;
          answer.total = total;
        }
        if (wake) wake();
      });
      lock.lock();
      if (cancel.cancelled() || quit) continue;
      answer.running = false;
      if (made.ok())
        answer.effects = std::make_shared<const PatchEffects>(std::move(made).value());
      else
        answer.error = std::make_shared<const Error>(made.error());
      lock.unlock();
      if (wake) wake();
      lock.lock();
    }
  }
};

Patcher::Patcher(std::function<bool()> busy, std::function<void()> wake) : state_(std::make_unique<State>()) {
  state_->busy = std::move(busy);
  state_->wake = std::move(wake);
}

Patcher::~Patcher() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->quit = true;
    state_->stop.cancel();
  }
  state_->changed.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
}

Patcher::Answer Patcher::of(std::string_view key, const std::function<Request()>& request) {
  const std::lock_guard lock(state_->mutex);
  if (state_->key == key) return state_->answer;
  state_->key = key;
  state_->wanted = request();
  state_->answer = {};
  state_->answer.running = true;
  state_->stop.cancel();
  if (!state_->thread.joinable()) state_->thread = std::thread([state = state_.get()] { state->loop(); });
  state_->changed.notify_all();
  return state_->answer;
}

void Patcher::make_way() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->answer.running) return;
  state_->stop.cancel();
  state_->wanted.reset();
  state_->key.clear();
  state_->answer = {};
}

bool Patcher::settled() const {
  const std::lock_guard lock(state_->mutex);
  return !state_->answer.running;
}

Result<PatchEffects> patched(const Patcher::Request& request, const CancelToken& cancel,
                             const std::function<void(std::int64_t, std::int64_t)>& progress) {
  HL_ASSIGN(const auto backend, backends::open("cpu"));
  HL_ASSIGN(const auto patching, PathPatching::open(request.document, request.question, *backend, cancel));
  return patch_effects(*patching, request.routes, *request.shares, cancel, progress);
}

}  // namespace headlight::panels
