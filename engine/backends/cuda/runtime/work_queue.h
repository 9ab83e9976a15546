// WorkQueue: collects the launches of one thread and backend between two waits for results: a run. Launches of an unknown
// run are made at once and noted. The launches of a run that begins like a known run are held back as long as both agree. When a
// run is complete for the second time, it is recorded as a CUDA graph; from then on the whole run is one launch. If a run departs
// from all known runs, the held launches are made, and the rest follow at once.
//
// The arrays of a run stay allocated until its results are waited for. No other array can thus be placed where held work reads or
// writes, and a run gets the same addresses whether it is held or not. Beyond a budget (a quarter of the memory, 512 MiB at most)
// launches are made at once and their arrays are released. The caller of every function holds the Gpu's turn.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/backends/cuda/runtime/gpu.h"

namespace headlight::backends::cuda {

enum class Launch : std::uint32_t {
  product,
  gather,
  add,
  layer_norm,
  heads,
  attention,
  elements,
  transpose,
  rotary,
  row_sum,
  norm_gradient,
  gather_gradient,
  score_gradient,
  masks,
  cross_entropy,
  mean_loss
};

class WorkQueue {
 public:
  explicit WorkQueue(Gpu& gpu);
  ~WorkQueue() { relieve(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Makes or holds back a launch. `call` is the launch's structure of module.h; clear() set it to zeros before it was filled, so
  // that equal calls have equal bytes. Errors: those of launching, also of held work; those of failed work that should have made
  // an input.
  // submit(Launch::add, call, in, out): `in` are the arrays that the launch reads, `out` those that it writes.
  template <class Call>
  Status submit(Launch launch, const Call& call, std::span<const Buffer> in, std::span<const Buffer> out) {
    return submit(launch, reinterpret_cast<const std::byte*>(&call), sizeof call, in, out);
  }

  // Launches all held work of this queue, and the held work of other queues that concerns these arrays. Call it before work that
  // bypasses the queue and before waiting for results. After an error none of the arrays that held work should have made has
  // values.
  // settle({x, w}, {y}): before work that reads x and w and writes y.
  Status settle(std::span<const Buffer> in, std::span<const Buffer> out);
  // Forgets held work whose results nobody holds any more, launches the rest, and frees memory that only the queue held.
  void relieve();
  // Has the session's clock started right before the next work on the stream, behind a gate of `after` seconds on the device.
  // Work that bypasses the queue calls start_clock itself. clock_next(true, 20e-6) waits 20 us; clock_next(false) cancels it.
  void clock_next(bool waits, double after = 0) {
    clock_waits_ = waits;
    clock_after_ = after;
  }
  Status start_clock();
  double since_clock() const;  // seconds on the host since start_clock put the clock on the stream
  bool idle() const { return script_.empty() && !clock_waits_; }

 private:
  struct Item {
    Launch launch;
    std::size_t call;              // offset of its arguments in the script, in bytes
    std::size_t first, outs, end;  // arrays_[first, outs) are read, [outs, end) are written
  };

  Status submit(Launch launch, const std::byte* call, std::size_t size, std::span<const Buffer> in, std::span<const Buffer> out);
  Item note(Launch launch, const std::byte* call, std::size_t size, std::span<const Buffer> in, std::span<const Buffer> out);
  void follow(std::size_t at);
  void note_no_more();
  void begin_anew();
  Status settle_others(std::span<const Buffer> in, std::span<const Buffer> out);
  bool concerns(std::span<const Buffer> in, std::span<const Buffer> out) const;
  Status launch_held();
  Status play(const std::shared_ptr<KnownRun>& run);
  bool launch_items(void* workspace);
  std::shared_ptr<void> workspace_of_items();
  Status finished(Status status);

  Gpu& gpu_;
  const std::size_t budget_;  // bytes of results that may be kept allocated
  bool clock_waits_ = false;
  double clock_after_ = 0;
  std::chrono::steady_clock::time_point clock_put_{};
  bool noting_ = true;  // false: the rest of the run, until the next wait, is not noted
  // The launches since the last wait: their arguments, and the arrays that they use.
  std::vector<std::byte> script_;
  std::vector<std::shared_ptr<void>> arrays_;
  std::size_t launches_ = 0, written_ = 0;  // written: bytes of results
  // like_: the known runs that begin with all of script_. held_: the launches held back, which are none or all of script_'s.
  std::vector<std::shared_ptr<KnownRun>> like_;
  std::vector<Item> held_;
};

// values_of: Ok, or the error of the failed work that should have filled one of these buffers. have_values marks the buffers as
// filled.
Status values_of(std::span<const Buffer> buffers);
void have_values(std::span<const Buffer> buffers);

}  // namespace headlight::backends::cuda
