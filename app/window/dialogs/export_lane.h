// The export lane: files are written one after the other on one thread, so that neither the window nor the panels' derived values
// wait for a film. Edits come first. The lane reports its progress and can be stopped.
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
  // The functions for a long export to call between its parts. `progress` takes a share 0..1 and waits while an edit is being
  // computed.
  struct Run {
    CancelToken cancel;
    std::function<void(double share)> progress;
  };
  using Write = std::function<Status(const Run&)>;
  using Ended = std::function<void(const Status&)>;  // called on the lane's thread
  struct Running {
    std::string name;
    double share = -1;  // negative: unknown
    int waiting = 0;    // the number of exports that wait
  };

  // `busy` says whether the interactive worker is computing; `wake` asks the window to redraw. Both are called on the lane's
  // thread.
  explicit ExportLane(std::function<bool()> busy = {}, std::function<void()> wake = {});
  ~ExportLane();  // stops the running export and leaves no incomplete file behind

  // add("heads.png", write, ended) queues an export; the status bar calls it "heads.png".
  void add(std::string name, Write write, Ended ended);
  std::optional<Running> running() const;
  void cancel();  // stops the running export and drops the waiting ones; each ends with ErrorKind::cancelled
  void wait();    // returns once no export runs or waits

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::function<bool()> busy_;
  std::unique_ptr<BackgroundLane> lane_;
};

}  // namespace headlight::window
