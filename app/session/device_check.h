// The document on two devices, measured in the background lane while the window goes on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/session/derived.h"
#include "engine/backends/backends.h"
#include "engine/insight/device_comparison.h"

namespace headlight {

class DeviceCheck {
 public:
  struct Snapshot {
    bool running = false;
    std::string doing;  // the id of the device at work; empty: the differences, or it has not begun
    int run = 0, runs = 0;
    Document document;  // of the result or the error
    std::shared_ptr<const DeviceComparison> result;
    std::shared_ptr<const Error> error;
  };
  // `disturbances` counts what the person does meanwhile: work that an edit overlapped would be mistimed, and is of an old
  // document. It then ends, and `error` says so.
  DeviceCheck(Derived::Lane lane, std::function<void()> wake, std::function<std::uint64_t()> disturbances);
  ~DeviceCheck();
  DeviceCheck(const DeviceCheck&) = delete;
  DeviceCheck& operator=(const DeviceCheck&) = delete;

  void start(Document document, std::array<std::string, 2> ids, OpenBackend open = backends::open);
  void cancel();
  Snapshot snapshot() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with work in flight
};

}  // namespace headlight
