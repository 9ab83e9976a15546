#include "app/session/device_check.h"

#include <mutex>
#include <utility>

namespace headlight {

struct DeviceCheck::State {
  Derived::Lane lane;
  std::function<void()> wake;
  std::function<std::uint64_t()> disturbances;
  mutable std::mutex mutex;
  std::uint64_t run = 0;  // start() and cancel() increase it: results of older numbers are dropped
  CancelSource stop;
  Snapshot shown;
};

DeviceCheck::DeviceCheck(Derived::Lane lane, std::function<void()> wake, std::function<std::uint64_t()> disturbances)
    : state_(std::make_shared<State>()) {
  state_->lane = std::move(lane);
  state_->wake = std::move(wake);
  state_->disturbances = std::move(disturbances);
}

DeviceCheck::~DeviceCheck() {
  cancel();
  // The lane and the window may be destroyed before running work ends.
  const std::lock_guard lock(state_->mutex);
  state_->lane = {};
  state_->wake = {};
  state_->disturbances = {};
}

void DeviceCheck::start(Document document, std::array<std::string, 2> ids, OpenBackend open) {
  std::uint64_t run = 0;
  CancelSource stop;
  Derived::Lane lane;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop.cancel();
    state_->stop = stop;
    run = ++state_->run;
    state_->shown = {};
    state_->shown.running = true;
    state_->shown.document = document;
    lane = state_->lane;
  }
  const auto job = [state = state_, run, stop, document = std::move(document), ids = std::move(ids),
                    open = std::move(open)](const CancelToken& lane_stops) {
    const auto disturbed = [&state] {
      const std::lock_guard lock(state->mutex);
      return state->disturbances ? state->disturbances() : 0;
    };
    const std::uint64_t before = disturbed();
    bool interrupted = false;
    const auto doing = [&](const std::string& id, int turn, int runs) {
      interrupted = interrupted || disturbed() != before;
      std::function<void()> wake;
      {
        const std::lock_guard lock(state->mutex);
        if (interrupted || lane_stops.cancelled()) state->stop.cancel();
        if (state->run != run) return;
        state->shown.doing = id;
        state->shown.run = turn;
        state->shown.runs = runs;
        wake = state->wake;
      }
      if (wake) wake();
    };
    auto made = stop.token().cancelled() ? Result<DeviceComparison>(cancelled())
                                         : compare_devices(document, ids, {}, stop.token(), doing, open);
    std::function<void()> wake;
    {
      const std::lock_guard lock(state->mutex);
      if (state->run != run) return;
      state->shown.running = false;
      if (made.ok()) {
        state->shown.result = std::make_shared<const DeviceComparison>(std::move(made).value());
      } else if (interrupted) {
        state->shown.error =
            std::make_shared<const Error>(failure(ErrorKind::cancelled, "something was changed meanwhile").mend("measure again"));
      } else {
        state->shown.error = std::make_shared<const Error>(made.error());
      }
      wake = state->wake;
    }
    if (wake) wake();
  };
  if (lane)
    lane(job);
  else
    job({});
}

void DeviceCheck::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->stop.cancel();
  ++state_->run;
  state_->shown.running = false;
}

DeviceCheck::Snapshot DeviceCheck::snapshot() const {
  const std::lock_guard lock(state_->mutex);
  return state_->shown;
}

}  // namespace headlight
