// Job: what a view does in the background from frame to frame, such as a training or a series of measurements. The shell makes a
// view's job when it is first asked for, and knows no more of it than this.
#pragma once

#include <cstdint>
#include <functional>

#include "app/session/derived.h"
#include "app/session/lab_machine.h"

namespace headlight {

class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  virtual void make_way() {}                     // an edit comes: what runs stops until it is computed
  virtual double wake_in() const { return -1; }  // seconds until the open view needs a frame; negative: only events
  virtual bool settled() const { return true; }  // false: a picture of the view should wait
  // Whether the open view is as a picture of the tour shows it; asked in every frame, and goes on until it is.
  virtual bool pictured() { return settled(); }
  virtual std::uint64_t models_saved() const { return 0; }  // how many models it was asked to store
};

// The services that the window gives a job.
struct JobHost {
  Derived::Lane lane;                    // runs something in the background, one at a time
  std::function<void()> wake;            // thread-safe: asks the window for a frame
  std::function<bool()> busy;            // thread-safe: an edit is being computed
  std::function<std::uint64_t()> edits;  // thread-safe: counts what uses the cores during a measurement
  bool measures_times = false, measures_roles = false;
  LabMachine lab_machine = {};
};

}  // namespace headlight
