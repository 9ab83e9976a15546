// Reliable timing. Contenders take turns (A B A B ...), so that a slow moment of the machine affects all of them. Warm-up runs
// are not counted (where a device records work, they include the recording). Every sample is kept, and percentiles are given.
// Inputs rotate, so that no call finds its own data in a cache. A device's time includes none of the host's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"

namespace headlight::bench {

// Differences from a reference computed in double.
struct ErrorFigures {
  double mean_abs = 0, max_abs = 0;
  double relative = 0;  // sqrt(sum of squared differences / sum of squared reference values)
};

// The parts of a run, medians in seconds: copying its arrays to the device, its steps by the device's clock, copying its results
// back.
struct Parts {
  double upload = 0, compute = 0, download = 0;
  std::int64_t steps = 0;  // number of the backend's operations
  // Steps of the trace that plain loops on the host compute, because the backend has no way of its own for them, and their
  // operations: "rotate pairs, divide by length". Empty: none.
  std::int64_t steps_on_host = 0;
  std::string operations_on_host;
};

// The measurement of one contender.
struct Row {
  std::string what;     // "isdpa"
  std::string variant;  // "layer:index"
  std::string mode;     // "per-call", "cached", "publish", "picture", ...
  std::string backend, device, precision;
  std::string kernel;  // kernel of the last step; empty if the backend has no choice of kernels
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<double> samples;  // seconds, one a run
  double flops = 0;             // counted from the sizes, a multiply-add as two
  double bytes = 0;             // inputs read once and outputs written once
  // Times around a call on a device, medians in seconds, each measured separately until the device is done. launch: the host's
  // clock from the call to its end, less the device's time. upload: the words' indices to the device (their range is checked on
  // the way). download: the result back. All are 0 on the host, where nothing is launched or moved.
  double launch = 0, upload = 0, download = 0;
  // The share of samples that replayed recorded work (a CUDA graph), 0 to 1; the others were launched kernel by kernel. None on
  // the host.
  std::optional<double> replayed;
  // The best rates of this device, measured in turn with the rows (ceilings.h): operations and bytes a second; 0: not measured.
  double flops_ceiling = 0, bytes_ceiling = 0;
  std::optional<ErrorFigures> error;
  // long: numbers that softmax reads, and the exponent of the length in the time, fitted over the rows of this variant.
  std::optional<double> cells, exponent;
  std::optional<Parts> parts;  // forward: the rest of a sample is the host's time, planning and launching
};

// Linear interpolation between order statistics; share in [0, 1]. 0 without samples.
// percentile({1, 2, 4}, 0.25) gives 1.5.
double percentile(std::vector<double> samples, double share);

struct Contender {
  Row row;
  // `round` selects the inputs; only this call is timed. Empty: the time did not suffice to prepare the call, and it gets no
  // samples.
  std::function<Status(int round)> run_once = {};
  // For backends with a device of their own: moves a call's inputs there or its result back, and waits. Empty on the host.
  std::function<Status()> upload = {}, download = {};
  int warm_up = 3;  // calls that are not counted, in which memory is allocated and work is recorded
};

// The limits and clocks of a measurement.
struct Effort {
  double seconds = 3;
  int least_rounds = 5;
  // Counts events that use the cores meanwhile (a person's edits): a sample during which the count changes is dropped. May be
  // empty.
  std::function<std::uint64_t()> disturbances = {};
  // Times one turn, in seconds; empty: the steady clock. A device is timed by its own clock.
  std::function<Result<double>(const std::function<Status()>&)> clock = {};
  // For a device: waits until it is done; counts calls that were replayed. May be empty.
  std::function<Status()> finish = {};
  std::function<std::uint64_t()> replays = {};
  // If set, `seconds` is a limit for the whole bench from this moment of steady_seconds() on, with inputs, references and warming
  // up, and `least_rounds` is ignored. A bench does not prepare contenders that the time does not suffice for, so that their rows
  // have no samples. A prepared contender runs at least once.
  std::optional<double> begun = {};
  bool over() const { return passed() > 1; }
  double passed() const;  // the used share of the limit; 0 without a limit
};
double steady_seconds();
// Fills row.samples: at least `least_rounds` rounds, then until `seconds` have passed. Contenders much shorter than a round run
// several times per turn. `progress` is called about once a round with the work that comes next.
// measure(std::move(contenders), {.seconds = 1}, cancel, {}): one row for each contender.
Result<std::vector<Row>> measure(std::vector<Contender> contenders, const Effort& effort, const CancelToken& cancel,
                                 const std::function<void(const std::string&)>& progress);

}  // namespace headlight::bench
