// The same document on two devices: the time that each takes, and the differences between their numbers, step by step.
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
  std::vector<double> seconds;  // each from the document to the finished trace, transfers included; only the weights are cached
  double median() const;
};

// The difference between the first device's values of a step (a) and the second's (b).
struct StepDifference {
  std::string step;
  double largest = 0;                // largest |a - b| of the step's values
  double relative = 0;               // sqrt(sum (a - b)^2 / sum b^2)
  bool one_is_not_a_number = false;  // a NaN stands on one side only, or the shapes differ
};

struct DeviceComparison {
  std::array<DeviceRuns, 2> devices;
  std::vector<StepDifference> steps;  // in order of computation; steps of integers (tokens, masks) are left out
  std::int64_t left_out = 0;          // number of steps that a trace does not keep and that would take too long to compute again
  const StepDifference* worst() const;  // the largest `relative`, after steps with one_is_not_a_number; null without steps
};

// The most effort that a comparison takes.
struct DeviceEffort {
  int runs = 5;                    // counted runs of each device, in turns; one run before them is not counted
  double seconds = 3;              // no further turn begins after these seconds; each device has at least one counted run
  double difference_seconds = 10;  // after these seconds no further step is computed again for comparison
};

// `doing` is called before each run with the device's id, the number of the run and the number of all runs, and before the
// comparison of numbers with an empty id. Errors name the device: it cannot be opened, or run() fails on it; cancelled. No other
// device takes its place.
// compare_devices(document, {"cpu", "cuda"}, {}, cancel): at most five counted runs of each, then the difference of every step.
Result<DeviceComparison> compare_devices(const Document& document, const std::array<std::string, 2>& ids,
                                         const DeviceEffort& effort, const CancelToken& cancel,
                                         const std::function<void(const std::string& id, int run, int runs)>& doing = {},
                                         const OpenBackend& open = backends::open);

}  // namespace headlight
