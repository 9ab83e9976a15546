#include "engine/backends/cuda/runtime/memory_pool.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace headlight::backends::cuda {

std::size_t MemoryPool::class_of(std::size_t bytes) {
  constexpr std::size_t kLeast = 512, kLarge = std::size_t{1} << 20;
  if (bytes <= kLeast) return kLeast;
  const std::size_t step = bytes > kLarge ? std::size_t{2} << 20 : std::max(kLeast, std::bit_floor(bytes - 1) / 8);
  return (bytes + step - 1) / step * step;
}

void* MemoryPool::take(std::size_t bytes) {
  const std::size_t size = keeps_ ? class_of(bytes) : bytes;
  const std::lock_guard lock(mutex_);
  if (const auto at = waiting_.find(size); at != waiting_.end() && !at->second.empty()) {
    std::pop_heap(at->second.begin(), at->second.end(), std::greater<>());
    void* const memory = at->second.back().second;
    at->second.pop_back();
    --counts_.waiting_blocks;
    counts_.waiting_bytes -= size;
    ++counts_.live_blocks;
    counts_.live_bytes += size;
    ++counts_.reused;
    return memory;
  }
  ++counts_.asked;
  void* memory = source_.allocate(size);
  if (!memory && counts_.waiting_blocks > 0) {
    trim_locked();
    ++counts_.asked;
    memory = source_.allocate(size);
  }
  if (!memory) return nullptr;
  numbers_[memory] = counts_.asked;
  ++counts_.live_blocks;
  counts_.live_bytes += size;
  return memory;
}

void MemoryPool::give_back(void* memory, std::size_t bytes) {
  const std::size_t size = keeps_ ? class_of(bytes) : bytes;
  const std::lock_guard lock(mutex_);
  --counts_.live_blocks;
  counts_.live_bytes -= size;
  if (!keeps_) {
    release(memory);
    return;
  }
  std::vector<Numbered>& waiting = waiting_[size];
  waiting.emplace_back(numbers_.at(memory), memory);
  std::push_heap(waiting.begin(), waiting.end(), std::greater<>());
  ++counts_.waiting_blocks;
  counts_.waiting_bytes += size;
}

void MemoryPool::trim() {
  const std::lock_guard lock(mutex_);
  trim_locked();
}

void MemoryPool::trim_locked() {
  for (const auto& [size, blocks] : waiting_)
    for (const Numbered& block : blocks) release(block.second);
  waiting_.clear();
  counts_.waiting_blocks = counts_.waiting_bytes = 0;
}

void MemoryPool::release(void* memory) {
  numbers_.erase(memory);
  source_.release(memory);
}

PoolCounts MemoryPool::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace headlight::backends::cuda
