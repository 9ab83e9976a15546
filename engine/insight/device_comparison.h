// The same document on two devices: how long each takes, and how far apart their numbers are, step by step.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/backends/backends.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight {

struct DeviceRuns {
  std::string id, label;        // as backends::Device
  std::string precision;        // "float32", "bf16", ...
  std::vector<double> seconds;  // each from the document to the finished trace, transfers included; only weights are cached
  double median() const;
};

// How far the first device's values of a step are from the second's.
struct StepDifference {
  std::string step;
  double largest = 0;   // |a - b|, over the step's values
  double relative = 0;  // sqrt(sum (a - b)^2 / sum b^2)
  bool one_is_not_a_number = false;
};

struct DeviceComparison {
  std::array<DeviceRuns, 2> devices;
  std::vector<StepDifference> steps;    // in order of computation; steps of whole numbers (tokens, masks) are left out
  std::int64_t left_out = 0;            // steps that no trace keeps and that would take too long to compute again
  const StepDifference* worst() const;  // by `relative`; null without steps
};

struct DeviceEffort {
  int runs = 5;                    // runs per device, in turn, after one that is not counted
  double seconds = 3;              // no further turn begins after this; each device has at least one counted run
  double difference_seconds = 10;  // no further step that has to be computed again is compared after this
};

// `doing` is told what comes next: the device's id, and which of how many runs; an empty id: the differences. Errors: those of
// opening a device and of run() on it, with the device named; cancelled. No other device is used instead.
Result<DeviceComparison> compare_devices(const Document& document, const std::array<std::string, 2>& ids,
                                         const DeviceEffort& effort, const CancelToken& cancel,
                                         const std::function<void(const std::string& id, int run, int runs)>& doing = {},
                                         const OpenBackend& open = backends::open);

}  // namespace headlight
