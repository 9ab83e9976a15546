// The lane of exports: files are written one after the other on a thread of their own, so that neither the window nor the
// panels' derived values wait for a film. It gives way to edits, says how far it is, and can be stopped.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/session/lane.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"

namespace headlight::window {

class ExportLane {
 public:
  // What a long export looks at between its parts. `progress` (0..1) also waits while an edit is being computed.
  struct Run {
    CancelToken cancel;
    std::function<void(double share)> progress;
  };
  using Write = std::function<Status(const Run&)>;
  using Ended = std::function<void(const Status&)>;  // called on the lane's thread
  struct Running {
    std::string name;
    double share = -1;  // negative: not known
    int waiting = 0;    // exports behind it
  };

  // `busy`: the interactive worker computes; `wake`: the window shall draw again. Both are called on the lane's thread.
  explicit ExportLane(std::function<bool()> busy = {}, std::function<void()> wake = {});
  ~ExportLane();  // stops what runs: a file that is not whole by then is not there

  void add(std::string name, Write write, Ended ended);
  std::optional<Running> running() const;
  void cancel();  // what runs and what waits; each ends with ErrorKind::cancelled
  void wait();    // until nothing runs or waits

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::function<bool()> busy_;
  std::unique_ptr<BackgroundLane> lane_;
};

}  // namespace headlight::window
