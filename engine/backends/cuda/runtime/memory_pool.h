// MemoryPool: keeps memory that is slow to allocate (GPU memory or pinned host memory) and hands it out again. Blocks have size
// classes; a returned block waits in its class. The block that was allocated first is handed out first, so that a program that
// repeats itself gets the same addresses again, in whatever order it returns them. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headlight::backends::cuda {

struct PoolCounts {
  std::uint64_t live_blocks = 0, live_bytes = 0;        // handed out
  std::uint64_t waiting_blocks = 0, waiting_bytes = 0;  // returned and kept
  std::uint64_t asked = 0, reused = 0;                  // requests to the driver; requests served from the pool
};

class MemoryPool {
 public:
  struct Source {
    std::function<void*(std::size_t bytes)> allocate;  // null: allocation failed
    std::function<void(void*)> release;
  };
  // If `keeps` is false, every block is allocated and released at its exact size, so that memory checkers see its true end.
  explicit MemoryPool(Source source, bool keeps = true) : source_(std::move(source)), keeps_(keeps) {}
  ~MemoryPool() { trim(); }
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // The size of the block for `bytes`: 512, 1024, ... up to 1 MiB in eighths of powers of two, beyond in steps of 2 MiB.
  static std::size_t class_of(std::size_t bytes);

  // A block of at least `bytes`. Null if the source has no memory left, even after all waiting blocks were released.
  void* take(std::size_t bytes);
  // Returns a block of take(): give_back(memory, bytes) with the bytes that were asked for.
  void give_back(void* memory, std::size_t bytes);
  void trim();  // releases the waiting blocks
  PoolCounts counts() const;

 private:
  void trim_locked();
  void release(void* memory);

  Source source_;
  const bool keeps_;
  mutable std::mutex mutex_;
  using Numbered = std::pair<std::uint64_t, void*>;       // (order of allocation, block)
  std::map<std::size_t, std::vector<Numbered>> waiting_;  // heaps, the oldest block on top
  std::unordered_map<void*, std::uint64_t> numbers_;
  PoolCounts counts_;
};

}  // namespace headlight::backends::cuda
