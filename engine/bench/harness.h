// Timing that can be trusted: contenders take turns (A B A B ...), so that a slow spell of the machine meets all of them; the
// warm-up is not counted (where a device records work, it covers the recording); every sample is kept and given as percentiles;
// inputs rotate, so that no call finds its own leftovers; a device's time holds none of the host's.
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

// What a run is made of, medians in seconds: its arrays to the device, its steps by the device's clock, its results back.
struct Parts {
  double upload = 0, compute = 0, download = 0;
  std::int64_t steps = 0;  // operations of the backend
};

struct Row {
  std::string what;     // "isdpa"
  std::string variant;  // "layer:index"
  std::string mode;     // "per-call", "cached", "publish", "picture", ...
  std::string backend, device, precision;
  std::string kernel;  // that served the last step; empty where the backend has one way only
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<double> samples;  // seconds, one a run
  double flops = 0;             // counted from the sizes, a multiply-add as two
  double bytes = 0;             // inputs read once and outputs written once
  // Around a call on a device of its own, medians in seconds, each measured apart until the device is done: launching (the host's
  // clock from the call to its end, less the device's time), the words' indices to the device (their range is looked at on the
  // way), the result back. 0 where nothing is launched or moved: on the host.
  double launch = 0, upload = 0, download = 0;
  // Which share of the samples replayed recorded work (a CUDA graph), 0 to 1; the rest was launched kernel by kernel. None on the
  // host.
  std::optional<double> replayed;
  // What this device reaches at best, in turns with the rows (ceilings.h): operations and bytes a second; 0: not measured.
  double flops_ceiling = 0, bytes_ceiling = 0;
  std::optional<ErrorFigures> error;
  std::optional<Parts> parts;  // forward: the rest of a sample is the host's, planning and launching
};

// Linear interpolation between order statistics; share in [0, 1]. 0 without samples.
double percentile(std::vector<double> samples, double share);

struct Contender {
  Row row;
  std::function<Status(int round)> run_once;  // `round` picks the inputs; only this call is timed
  // Of what computes on a device of its own: moves a call's inputs there and its result back, and waits. Empty on the host.
  std::function<Status()> upload = {}, download = {};
  int warm_up = 3;  // calls that are not counted: until everything is allocated and recorded
};

// Fills row.samples: at least `least_rounds` rounds, then until `seconds` have passed. Contenders much shorter than the round are
// run several times in their turn. `progress` is told what is going on, about once a round.
struct Effort {
  double seconds = 3;
  int least_rounds = 5;
  // Counts what takes the cores meanwhile (a person's edits): a sample during which it changed is dropped. May be empty.
  std::function<std::uint64_t()> disturbances = {};
  // Times one turn, in seconds; empty: the steady clock. A device that computes on its own is timed by its own clock.
  std::function<Result<double>(const std::function<Status()>&)> clock = {};
  // Of such a device: waits until it is done; counts calls that were replayed. May be empty.
  std::function<Status()> finish = {};
  std::function<std::uint64_t()> replays = {};
};
Result<std::vector<Row>> measure(std::vector<Contender> contenders, const Effort& effort, const CancelToken& cancel,
                                 const std::function<void(const std::string&)>& progress);

}  // namespace headlight::bench
