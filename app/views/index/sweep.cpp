#include "app/views/index/sweep.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "engine/backends/base/backend.h"
#include "engine/bench/benches.h"

namespace headlight::views::lab {

struct Sweep::State {
  OpenBackend open;
  Derived::Lane lane;
  std::function<void()> wake;
  std::function<std::uint64_t()> disturbances;
  mutable std::mutex mutex;
  std::uint64_t run = 0;  // start() and cancel() increase it: work of older runs stops
  CancelSource stop;
  std::deque<SweepPoint> waiting;
  std::size_t total = 0;
  std::vector<SweepPoint> results;
  std::uint64_t version = 0;
  std::shared_ptr<const Error> error;
};

Result<SweepPoint> measure_point(SweepPoint point, const std::function<std::uint64_t()>& disturbances, const CancelToken& cancel,
                                 const OpenBackend& open) {
  bench::Request request;
  HL_ASSIGN(request.backend, open(point.backend));
  request.words = point.words;
  request.length = point.length;
  request.vocab = point.vocab;
  request.d = point.d;
  request.heads = point.heads;
  request.pad_index = point.masked ? 0 : -1;
  request.word_lengths = point.word_lengths;
  request.position_weights = point.position_weights;
  request.stage = "layer";
  request.mode = point.cached ? "cached" : "per-call";
  request.sets = 2;
  request.checked_words = 0;
  if (point.pooled)
    request.variants = {"layer:fused",    "layer:attention",       "layer:folded",
                        "layer:distinct", "layer:distinct-folded", "layer:index"};
  else
    request.variants = {"layer:fused-unpooled", "layer:attention-unpooled", "layer:distinct-unpooled", "layer:index-unpooled"};
  // Without the ways that need one weight for symbols and positions, pooling first is the fastest.
  if (point.position_weights && point.pooled) request.variants.emplace_back("layer:pooled");
  request.effort = {0.05, 2, disturbances};
  HL_ASSIGN(const std::vector<bench::Row> rows, bench::isdpa(request, cancel));
  for (const bench::Row& row : rows) {
    const double median = bench::percentile(row.samples, 0.5);
    if (row.variant.starts_with("layer:index")) {
      point.index = median;
    } else if (row.variant.starts_with("layer:fused")) {
      point.written = median;
    } else if (point.shortcut <= 0 || median < point.shortcut) {
      point.shortcut = median;
    }
  }
  if (point.shortcut <= 0) point.shortcut = point.written;  // no other method competes at these sizes
  return point;
}

Sweep::Sweep(Derived::Lane lane, std::function<void()> wake, std::function<std::uint64_t()> disturbances, LabMachine machine)
    : machine_(std::move(machine)), state_(std::make_shared<State>()) {
  state_->open = machine_.open;
  state_->lane = std::move(lane);
  state_->wake = std::move(wake);
  state_->disturbances = std::move(disturbances);
}
Sweep::~Sweep() {
  cancel();
  const std::lock_guard lock(state_->mutex);
  // The lane and the window may be destroyed before a running job ends.
  state_->lane = {};
  state_->wake = {};
}

// Measures the next point of `run` and queues the one after it.
void Sweep::next(const std::shared_ptr<State>& state, std::uint64_t run) {
  const auto job = [state, run](const CancelToken& lane_stops) {
    SweepPoint point;
    CancelToken cancel;
    {
      const std::lock_guard lock(state->mutex);
      if (state->run != run || state->waiting.empty()) return;
      point = state->waiting.front();
      state->waiting.pop_front();
      cancel = state->stop.token();
    }
    const Result<SweepPoint> measured = measure_point(point, state->disturbances, cancel, state->open);
    std::function<void()> wake;
    bool more = false;
    {
      const std::lock_guard lock(state->mutex);
      if (state->run != run || lane_stops.cancelled()) return;
      if (measured.ok() && measured->index > 0) {
        std::erase_if(state->results, [&](const SweepPoint& old) { return old.same_sizes(*measured); });
        state->results.push_back(*measured);
        ++state->version;
      } else if (!measured.ok() && measured.error().kind != ErrorKind::cancelled) {
        state->error = std::make_shared<const Error>(measured.error());
      }
      more = !state->waiting.empty();
      wake = state->wake;
    }
    if (wake) wake();
    if (more) next(state, run);
  };
  Derived::Lane lane;
  {
    const std::lock_guard lock(state->mutex);
    lane = state->lane;
  }
  if (lane)
    lane(job);
  else
    job({});
}

void Sweep::start(std::vector<SweepPoint> points) {
  std::uint64_t run = 0;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop.cancel();
    state_->stop = CancelSource();
    run = ++state_->run;
    state_->waiting.assign(points.begin(), points.end());
    state_->total = points.size();
    state_->error.reset();
    if (points.empty()) return;
  }
  next(state_, run);
}

void Sweep::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->stop.cancel();
  ++state_->run;
  state_->waiting.clear();
  state_->total = 0;
}

bool Sweep::running() const {
  const std::lock_guard lock(state_->mutex);
  return !state_->waiting.empty();
}
double Sweep::progress() const {
  const std::lock_guard lock(state_->mutex);
  return state_->total == 0 ? 0 : 1 - static_cast<double>(state_->waiting.size()) / static_cast<double>(state_->total);
}
std::vector<SweepPoint> Sweep::results() const {
  const std::lock_guard lock(state_->mutex);
  return state_->results;
}
std::uint64_t Sweep::version() const {
  const std::lock_guard lock(state_->mutex);
  return state_->version;
}
std::shared_ptr<const Error> Sweep::error() const {
  const std::lock_guard lock(state_->mutex);
  return state_->error;
}

}  // namespace headlight::views::lab
