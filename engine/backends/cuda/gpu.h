// One GPU as the backend uses it: the module's session, its memory, and what went wrong as an Error. Work from several threads is
// put on the one stream in turn; memory that is given back while work is still queued is safe to hand out again, because what
// uses it next is queued behind.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/backends/backend.h"
#include "engine/backends/cuda/memory_pool.h"
#include "engine/backends/cuda/module.h"

namespace headlight::backends::cuda {

class Gpu : public std::enable_shared_from_this<Gpu> {
 public:
  static Result<std::shared_ptr<Gpu>> open(const Module& module, int device);
  ~Gpu();

  const Info& info() const { return info_; }
  std::string label() const;  // "NVIDIA H200, 141 GB, compute 9.0, CUDA 13.0, driver 13.0"
  const Module& module() const { return module_; }
  Session* session() const { return session_; }

  // Memory of the GPU; it goes back to the pool with the last copy of the pointer, which also keeps the Gpu alive.
  Result<std::shared_ptr<void>> allocate(std::size_t bytes);
  Result<std::shared_ptr<void>> allocate_pinned(std::size_t bytes);
  PoolCounts memory_counts() const { return memory_.counts(); }
  PoolCounts pinned_counts() const { return pinned_.counts(); }

  // Ok, or the module's sentence as an Error. After a loss every further call fails with the same sentence.
  Status checked(bool done);
  Status usable() const;

  // Held while work is put on the stream; a thread may hold it several times.
  std::unique_lock<std::recursive_mutex> turn() { return std::unique_lock(stream_); }

 private:
  Gpu(const Module& module, Session* session, const Info& info);

  const Module& module_;
  Session* const session_;
  const Info info_;
  MemoryPool memory_, pinned_;
  std::recursive_mutex stream_;
  mutable std::mutex state_;
  std::string lost_;  // why, once it is
};

// What is remembered of a buffer of indices, so that checking them needs no download: min and max of the uploaded values.
struct IndexRange {
  std::int32_t least = 0, most = 0;
  std::vector<std::int32_t> values;  // for the error message that names the first one out of range
};
// Deleter of a buffer's memory; std::get_deleter finds the range.
struct GiveBack {
  std::shared_ptr<Gpu> gpu;
  MemoryPool* pool = nullptr;
  std::size_t bytes = 0;
  std::shared_ptr<const IndexRange> range;
  void operator()(void* memory) const { pool->give_back(memory, bytes); }
};

}  // namespace headlight::backends::cuda
