// RoleFinder: what the heads of the shown model were measured to do. The scores are read from the cache folder; where they are
// not there, or broken, the heads are measured on a bundled text, on a thread of its own, while the person works. It is the
// job of Heads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/session/background_answer.h"
#include "app/session/job.h"
#include "engine/core/status.h"
#include "engine/insight/head_scores.h"

namespace headlight {

class RoleFinder final : public Job {
 public:
  // `wake` is called on the thread when there is something new to show. `busy` says whether the interactive worker is computing:
  // no sentence begins meanwhile. Without `measures` nothing is measured, and only the cache is read (tests, pictures).
  RoleFinder(std::function<void()> wake, std::function<bool()> busy, bool measures);

  struct Answer {
    std::shared_ptr<const MeasuredHeads> heads;  // null: not known yet, or not at all
    std::shared_ptr<const Error> error;
    bool running = false;
    std::int64_t done = 0, total = 0;  // sentences; total 0: not begun
  };
  // The scores of the model of this name; the first call for another model begins to look for them and gives up the last one's.
  Answer of(const std::string& model);
  // The same without beginning anything: an empty answer for a model that of() was not asked for.
  Answer asked(const std::string& model) const;
  void wait();  // until nothing is being looked for (tests)

 private:
  BackgroundAnswer answer_;
  bool measures_ = false;
};

}  // namespace headlight
