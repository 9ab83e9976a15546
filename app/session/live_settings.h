// The settings of a training in the window, and the training configurations that follow from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/train/config.h"
#include "engine/train/data.h"

namespace headlight {

struct LiveSettings {
  std::string task = "induction";  // one of live_tasks()
  std::int64_t layers = 2, heads = 4, width = 64;
  bool positions = true;
  std::string compare;  // a second run: "positions" without them, "layers" with one layer; empty: none
  double rate = 3e-3;   // the learning rate at the start
  std::int64_t seed = 1;
  std::string path;  // the file of the task "text"; empty: the sample corpus
  bool operator==(const LiveSettings&) const = default;
};

// The tasks that the window offers: "induction", "copy", "reverse", "sort", "majority", "hello", "text".
const std::vector<std::string>& live_tasks();

struct LivePlan {
  train::Config config;
  train::DataPlaces places;
  std::string label;  // "two layers"; empty for a single run
};
// One plan for each run. Errors: sizes that do not fit each other, a missing corpus.
Result<std::vector<LivePlan>> live_plans(const LiveSettings& settings);

}  // namespace headlight
