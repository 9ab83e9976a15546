// Memory that is expensive to ask for (the GPU's, or pinned host memory) is asked for once and handed out again. Blocks come in
// size classes; a block given back waits in its class. Of those that wait the oldest is handed out, by when it was first asked
// for, so that a program that repeats itself gets the same addresses again, whatever order it gives them back in. Thread-safe.
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
  std::uint64_t waiting_blocks = 0, waiting_bytes = 0;  // kept for the next
  std::uint64_t asked = 0, reused = 0;                  // calls of the driver; requests served without
};

class MemoryPool {
 public:
  struct Source {
    std::function<void*(std::size_t bytes)> allocate;  // null: failed
    std::function<void(void*)> release;
  };
  // Without `keeps`, every block is asked for and released at its exact size, so that checkers see its true end.
  explicit MemoryPool(Source source, bool keeps = true) : source_(std::move(source)), keeps_(keeps) {}
  ~MemoryPool() { trim(); }
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // The bytes a block for `bytes` has: 512, 1024, ... up to 1 MiB in eighths of powers of two, beyond in steps of 2 MiB.
  static std::size_t class_of(std::size_t bytes);

  // Null when the source has no more, not even after what waits was released.
  void* take(std::size_t bytes);
  void give_back(void* memory, std::size_t bytes);
  void trim();  // releases what waits
  PoolCounts counts() const;

 private:
  void trim_locked();
  void release(void* memory);

  Source source_;
  const bool keeps_;
  mutable std::mutex mutex_;
  using Numbered = std::pair<std::uint64_t, void*>;       // the how manieth that was asked for
  std::map<std::size_t, std::vector<Numbered>> waiting_;  // heaps, the oldest on top
  std::unordered_map<void*, std::uint64_t> numbers_;
  PoolCounts counts_;
};

}  // namespace headlight::backends::cuda
