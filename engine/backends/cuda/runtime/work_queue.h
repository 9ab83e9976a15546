// Collects what one thread asks a backend to compute between two waits for results: a run. Launches of an unknown run are made at
// once and noted. A run that begins like a known one is held back while it goes on like it. When a run is complete for the second
// time, it is recorded as a CUDA graph; from then on the whole run is one launch. If a run departs from all known ones, the held
// work is launched and the rest follows at once.
//
// The arrays of a run stay allocated until its results are waited for. So nothing else can be placed where held work reads or
// writes, and a run gets the same addresses whether it is held or not. Beyond a budget (a quarter of the memory, 512 MiB at most)
// work is launched at once and its arrays are released. The caller of every function holds the Gpu's turn.
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

  // `call` is the launch's structure of module.h; it was set to zeros before it was filled, so that equal calls have equal bytes.
  // Errors: those of launching, also of held work; those of failed work that should have made one of the inputs.
  template <class Call>
  Status submit(Launch launch, const Call& call, std::span<const Buffer> in, std::span<const Buffer> out) {
    return submit(launch, reinterpret_cast<const std::byte*>(&call), sizeof call, in, out);
  }

  // Launches all held work of this queue, and the held work of other queues that these arrays depend on. Called before work that
  // bypasses the queue and before waiting for results. On an error no array that the held work should have made holds values.
  Status settle(std::span<const Buffer> in, std::span<const Buffer> out);
  // Forgets held work whose results nobody holds any more, launches the rest, and frees memory that only the queue held.
  void relieve();
  // Starts the session's clock right before the next work that is put on the stream, `after` seconds later on the device. Work
  // that bypasses the queue calls start_clock itself.
  void clock_next(bool waits, double after = 0) {
    clock_waits_ = waits;
    clock_after_ = after;
  }
  Status start_clock();
  double since_clock() const;  // seconds on the host since the clock was put on the stream
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
  bool noting_ = true;  // false: the run is not noted any more, until the next wait
  // The launches since the last wait: their arguments, and the arrays they use.
  std::vector<std::byte> script_;
  std::vector<std::shared_ptr<void>> arrays_;
  std::size_t launches_ = 0, written_ = 0;  // written: bytes of results
  // like_: the known runs that begin with all of script_. held_: the launches held back; either none or all of script_'s.
  std::vector<std::shared_ptr<KnownRun>> like_;
  std::vector<Item> held_;
};

// values_of: Ok, or why the work that should have filled one of these buffers failed. have_values: marks the buffers as filled.
Status values_of(std::span<const Buffer> buffers);
void have_values(std::span<const Buffer> buffers);

}  // namespace headlight::backends::cuda
