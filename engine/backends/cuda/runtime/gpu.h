// Gpu: one GPU as the backend uses it, with the module's session, its memory, and failures as Errors. Several threads put work on
// the one stream, one at a time. Memory may be handed out again while earlier work still uses it, because later work on the same
// stream runs after the earlier work. Work that is held back (work_queue.h) keeps its memory.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/runtime/memory_pool.h"
#include "engine/backends/cuda/runtime/module.h"
#include "engine/backends/cuda/runtime/recordings.h"

namespace headlight::backends::cuda {

class WorkQueue;

// What the module says went wrong in this thread: a text of its sources, and its values.
Message said_by(const Module& module);

class Gpu : public std::enable_shared_from_this<Gpu> {
 public:
  // Errors (unavailable): no such GPU, or it cannot be used. open(*module, 0) opens the first GPU.
  static Result<std::shared_ptr<Gpu>> open(const Module& module, int device);
  ~Gpu();

  const Info& info() const { return info_; }
  std::string label() const;  // "NVIDIA H200, 141 GB, compute 9.0, CUDA 13.0, driver for 13.0"
  const Module& module() const { return module_; }
  Session* session() const { return session_; }

  // Allocates memory of the GPU. It returns to the pool with the last copy of the pointer, which also keeps the Gpu alive.
  Result<std::shared_ptr<void>> allocate(std::size_t bytes);
  Result<std::shared_ptr<void>> allocate_pinned(std::size_t bytes);
  PoolCounts memory_counts() const { return memory_.counts(); }
  PoolCounts pinned_counts() const { return pinned_.counts(); }

  // checked: Ok if `done`, else the module's failure as an Error. usable: the error of a lost device, which all allocations give.
  Status checked(bool done);
  Status usable() const;

  // A lock to hold while putting work on the stream; a thread may hold it several times.
  std::unique_lock<std::recursive_mutex> turn() { return std::unique_lock(stream_); }

  // Whether repeated work is recorded (HEADLIGHT_CUDA_GRAPHS=off turns it off). The caller of the functions below holds the turn.
  bool records() const { return records_; }
  Recordings& recordings() { return recordings_; }
  std::vector<WorkQueue*>& noting() { return noting_; }  // the queues that keep arrays, and may hold work back

 private:
  Gpu(const Module& module, Session* session, const Info& info);

  const Module& module_;
  Session* const session_;
  const Info info_;
  const bool records_;
  MemoryPool memory_, pinned_;
  Recordings recordings_;
  std::vector<WorkQueue*> noting_;
  std::recursive_mutex stream_;
  mutable std::mutex state_;
  Message lost_;  // why the device was lost; empty while it is not
};

// The values of a buffer of indices, with their minimum and maximum, so that a check of uploaded indices needs no download.
struct IndexRange {
  std::int32_t least = 0, most = 0;
  std::vector<std::int32_t> values;  // for the error message that names the first value out of range
};
// The deleter of a buffer's memory. std::get_deleter finds in it the range of the buffer's indices, or the failure of its work.
struct GiveBack {
  std::shared_ptr<Gpu> gpu;
  MemoryPool* pool = nullptr;
  std::size_t bytes = 0;
  std::shared_ptr<const IndexRange> range = {};
  // The error of the work that should have written this buffer; the holder of the turn sets it.
  std::shared_ptr<const Error> failed = {};
  void operator()(void* memory) const { pool->give_back(memory, bytes); }
};

}  // namespace headlight::backends::cuda
