#include "app/window/dialogs/export_lane.h"

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

namespace headlight::window {

struct ExportLane::State {
  mutable std::mutex mutex;
  std::string name;  // empty: nothing is running
  double share = -1;
  int waiting = 0;
  CancelSource stop;  // stops everything that was added since the last cancel()
  std::function<void()> wake;
};

ExportLane::ExportLane(std::function<bool()> busy, std::function<void()> wake)
    : state_(std::make_shared<State>()), busy_(std::move(busy)), lane_(std::make_unique<BackgroundLane>(busy_, wake)) {
  state_->wake = std::move(wake);
}

ExportLane::~ExportLane() {
  cancel();
  lane_.reset();
}

void ExportLane::add(std::string name, Write write, Ended ended) {
  CancelToken stop;
  {
    const std::lock_guard lock(state_->mutex);
    ++state_->waiting;
    stop = state_->stop.token();
  }
  lane_->add([state = state_, busy = busy_, name = std::move(name), write = std::move(write), ended = std::move(ended),
              stop](const CancelToken&) {
    {
      const std::lock_guard lock(state->mutex);
      --state->waiting;
      state->name = name;
      state->share = -1;
    }
    if (state->wake) state->wake();
    const auto progress = [&](double share) {
      using namespace std::chrono_literals;
      while (busy && busy() && !stop.cancelled()) std::this_thread::sleep_for(2ms);
      bool visible = false;
      {
        const std::lock_guard lock(state->mutex);
        visible = share - state->share >= 0.01 || share < state->share;
        if (visible) state->share = share;
      }
      if (visible && state->wake) state->wake();
    };
    const Status status = stop.cancelled() ? Status(cancelled()) : write({stop, progress});
    {
      const std::lock_guard lock(state->mutex);
      state->name.clear();
    }
    if (ended) ended(status);
  });
}

std::optional<ExportLane::Running> ExportLane::running() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->name.empty()) return {};
  return Running{state_->name, state_->share, state_->waiting};
}

void ExportLane::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->stop.cancel();
  state_->stop = CancelSource();
}

void ExportLane::wait() { lane_->wait(); }

}  // namespace headlight::window
