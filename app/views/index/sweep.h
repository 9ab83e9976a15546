// The job of the Index lab: it times index-based attention against the layer without an index at many sizes, in the background.
// Each point is a turn of the lane of its own, so that edits come first and cancelling is fast.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/job.h"
#include "engine/backends/backends.h"
#include "engine/core/status.h"

namespace headlight::views::lab {

struct SweepPoint {
  std::int64_t words = 0, length = 0, vocab = 0, d = 0;
  bool cached = false;  // true: the weights are fixed, so that tables, and what other methods can keep, are kept between calls
  std::string backend = "cpu";
  std::int64_t heads = 1;
  bool masked = false;            // symbol 0 is masked
  bool word_lengths = false;      // the words have lengths like a text's
  bool position_weights = false;  // the positions have weights of their own
  bool pooled = true;             // false: every query's output is kept
  // Medians in seconds; 0: not measured. `shortcut` is that of the fastest method without an index.
  double index = 0, shortcut = 0, written = 0;
  bool same_sizes(const SweepPoint& o) const {
    return words == o.words && length == o.length && vocab == o.vocab && d == o.d && cached == o.cached && backend == o.backend &&
           heads == o.heads && masked == o.masked && word_lengths == o.word_lengths && position_weights == o.position_weights &&
           pooled == o.pooled;
  }
};

class Sweep final : public Job {
 public:
  // Without a lane, points are measured on the calling thread (tests). `wake` is called from the lane after each point.
  // `disturbances` counts events that use the cores: a sample during which the count changes is dropped.
  explicit Sweep(Derived::Lane lane = {}, std::function<void()> wake = {}, std::function<std::uint64_t()> disturbances = {},
                 LabMachine machine = {});
  ~Sweep() override;  // cancels

  void start(std::vector<SweepPoint> points);  // cancels a running sweep; its results stay
  void cancel();
  const LabMachine& machine() const { return machine_; }
  bool running() const;
  double progress() const;                     // share 0..1 of the points of the last start()
  std::vector<SweepPoint> results() const;     // all points measured in this session; the newest one of equal sizes
  std::uint64_t version() const;               // changes with every result
  std::shared_ptr<const Error> error() const;  // of the last sweep, if a point could not be measured

 private:
  struct State;
  static void next(const std::shared_ptr<State>& state, std::uint64_t run);
  const LabMachine machine_;
  std::shared_ptr<State> state_;  // shared with the running point
};

// Measures one point now: the "layer" rows of bench::isdpa with little effort, and the folded methods if there is a single head.
// measure_point({500, 32, 64, 512}, {}, cancel) times 500 words of 32 symbols from a vocabulary of 64, at d = 512.
Result<SweepPoint> measure_point(SweepPoint point, const std::function<std::uint64_t()>& disturbances, const CancelToken& cancel,
                                 const OpenBackend& open = backends::open);

}  // namespace headlight::views::lab
