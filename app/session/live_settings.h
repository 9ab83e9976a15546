// What a training in the window learns, and of what size: settings, and the training's configuration that they make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/train/config.h"
#include "engine/train/data.h"

namespace headlight {

struct LiveSettings {
  std::string task = "induction";  // live_tasks()
  std::int64_t layers = 2, heads = 4, width = 64;
  bool positions = true;
  std::string compare;  // a second run beside the first: "positions" without them, "layers" with one; empty: none
  double rate = 3e-3;   // at the start
  std::int64_t seed = 1;
  std::string path;  // of text: a file; empty: the sample corpus
  bool operator==(const LiveSettings&) const = default;
};

// The tasks that the window offers: "induction", "copy", "reverse", "sort", "majority", "hello", "text".
const std::vector<std::string>& live_tasks();

struct LivePlan {
  train::Config config;
  train::DataPlaces places;
  std::string label;  // "two layers"; of a single run empty
};
// One plan a run. Errors: sizes that do not fit each other, no corpus.
Result<std::vector<LivePlan>> live_plans(const LiveSettings& settings);

}  // namespace headlight
