// What one thread asks a backend to compute, between two points at which it waits for results. A run that is not known is
// launched at once, as it is asked for, and noted. One that begins like a known run is held back for as long as it goes on like
// it: the second time it is recorded as a CUDA graph, from then on the whole run is one launch. Where it departs from what is
// known, what was held is launched and the rest follows at once.
//
// The arrays of a run stay allocated until its results are waited for: nothing else can be put where held work reads or writes,
// and a run gets the same addresses whether it is held or not. Beyond a budget (a quarter of the memory, 512 MiB at most) work is
// launched at once and its arrays are let go. Every function is for who holds the Gpu's turn.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/backends/cuda/runtime/gpu.h"

namespace headlight::backends::cuda {

enum class Launch : std::uint32_t { product, gather, add, layer_norm, heads, attention };

class WorkQueue {
 public:
  explicit WorkQueue(Gpu& gpu);
  ~WorkQueue() { relieve(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // `call` is the launch's structure of module.h, set to zeros before it was filled, so that equal calls are equal bytes.
  // Errors: those of launching, of held work too; those of work that failed and should have made one of the inputs.
  template <class Call>
  Status submit(Launch launch, const Call& call, std::span<const Buffer> in, std::span<const Buffer> out) {
    return submit(launch, reinterpret_cast<const std::byte*>(&call), sizeof call, in, out);
  }

  // Before work that is put on the stream past the queue, and before results are waited for: all held work is on its way, of this
  // queue, and of others what these arrays have to do with. On an error no array that the held work should have made holds
  // values.
  Status settle(std::span<const Buffer> in, std::span<const Buffer> out);
  // Held work whose results nobody holds any more is forgotten, the rest is launched. Memory that only the queue held is free.
  void relieve();
  // The session's clock shall start right before what is put on the stream next, `after` seconds later on the device; start_clock
  // is for what goes past the queue.
  void clock_next(bool waits, double after = 0) {
    clock_waits_ = waits;
    clock_after_ = after;
  }
  Status start_clock();
  double since_clock() const;  // seconds of the host's since the clock was put on the stream
  bool idle() const { return script_.empty() && !clock_waits_; }

 private:
  struct Item {
    Launch launch;
    std::size_t call;              // at which byte of the script
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
  bool noting_ = true;  // until the next wait
  // Of all launches since the last wait.
  std::vector<std::byte> script_;
  std::vector<std::shared_ptr<void>> arrays_;
  std::size_t launches_ = 0, written_ = 0;  // written: bytes
  // Known runs that began as the script does; and what is held of it: nothing, or all.
  std::vector<std::shared_ptr<KnownRun>> like_;
  std::vector<Item> held_;
};

// Ok, or why the work that should have filled one of these failed; and that they are filled anew.
Status values_of(std::span<const Buffer> buffers);
void have_values(std::span<const Buffer> buffers);

}  // namespace headlight::backends::cuda
