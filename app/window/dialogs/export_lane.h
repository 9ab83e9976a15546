// The export lane: files are written one after the other on a thread of their own, so that neither the window nor the panels'
// derived values wait for a film. Edits come first. It reports its progress and can be stopped.
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
  // What a long export calls between its parts. `progress` (0..1) also waits while an edit is being computed.
  struct Run {
    CancelToken cancel;
    std::function<void(double share)> progress;
  };
  using Write = std::function<Status(const Run&)>;
  using Ended = std::function<void(const Status&)>;  // called on the lane's thread
  struct Running {
    std::string name;
    double share = -1;  // negative: unknown
    int waiting = 0;    // number of exports waiting behind it
  };

  // `busy`: the interactive worker is computing; `wake`: asks the window to redraw. Both are called on the lane's thread.
  explicit ExportLane(std::function<bool()> busy = {}, std::function<void()> wake = {});
  ~ExportLane();  // stops the running export: an incomplete file is not left behind

  void add(std::string name, Write write, Ended ended);
  std::optional<Running> running() const;
  void cancel();  // the running export and the waiting ones; each ends with ErrorKind::cancelled
  void wait();    // until nothing runs or waits

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::function<bool()> busy_;
  std::unique_ptr<BackgroundLane> lane_;
};

}  // namespace headlight::window
