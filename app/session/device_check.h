// Measures the document on two devices in the background lane, while the window stays usable.
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
    std::string doing;  // the id of the device at work; empty: the check computes the differences, or has not begun
    int run = 0, runs = 0;
    Document document;  // the document of the result or the error
    std::shared_ptr<const DeviceComparison> result;
    std::shared_ptr<const Error> error;
  };
  // `disturbances` counts the person's edits. An edit during a measurement makes its times wrong and its document outdated: the
  // measurement then ends with an `error` that says so.
  DeviceCheck(Derived::Lane lane, std::function<void()> wake, std::function<std::uint64_t()> disturbances);
  ~DeviceCheck();
  DeviceCheck(const DeviceCheck&) = delete;
  DeviceCheck& operator=(const DeviceCheck&) = delete;

  // Begins a measurement and cancels a running one. Errors appear in snapshot().
  // start(document, {"cpu", "cuda"}) compares the CPU with the first GPU.
  void start(Document document, std::array<std::string, 2> ids, OpenBackend open = backends::open);
  void cancel();
  Snapshot snapshot() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with running work
};

}  // namespace headlight
