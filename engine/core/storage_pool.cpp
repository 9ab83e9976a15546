#include "engine/core/storage_pool.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace headlight {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeeps = false;
#elif defined(__has_feature)
constexpr bool kKeeps = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
constexpr bool kKeeps = true;
#endif
constexpr std::size_t kSmallest = 16384;

// There are eight sizes between powers of two: texts that differ by a token share blocks, and at most an eighth is wasted.
std::size_t block_size(std::size_t size) {
  if (size < kSmallest) return (std::max<std::size_t>(size, 1) + 63) / 64 * 64;
  const std::size_t step = std::bit_floor(size) / 8;
  return (size + step - 1) / step * step;
}

struct BlockPool {
  using Blocks = std::unordered_map<std::size_t, std::vector<std::byte*>>;  // by size
  std::mutex mutex;
  Blocks blocks;
  std::size_t bytes = 0, in_use = 0;

  std::byte* take(std::size_t size) {
    const std::lock_guard lock(mutex);
    in_use += size;
    const auto at = blocks.find(size);
    if (at == blocks.end() || at->second.empty()) return nullptr;
    std::byte* p = at->second.back();
    at->second.pop_back();
    bytes -= size;
    return p;
  }
  bool give(std::byte* p, std::size_t size) {
    Blocks dropped;
    {
      const std::lock_guard lock(mutex);
      in_use -= size;
      const std::size_t most = std::max(kPoolBytes, in_use);
      if (size > most) return false;
      if (bytes + size > most) {
        // Blocks of earlier texts' sizes are not asked for again: they are dropped instead of kept forever.
        dropped.swap(blocks);
        bytes = 0;
      }
      blocks[size].push_back(p);
      bytes += size;
    }
    free_all(dropped);
    return true;
  }
  void forget(std::size_t size) {  // a block that take() promised and that there is no memory for
    const std::lock_guard lock(mutex);
    in_use -= size;
  }
  void drop() {
    Blocks dropped;
    {
      const std::lock_guard lock(mutex);
      dropped.swap(blocks);
      bytes = 0;
    }
    free_all(dropped);
  }
  static void free_all(const Blocks& dropped) {
    for (const auto& [block, list] : dropped)
      for (std::byte* q : list) std::free(q);
  }
};

// Never destroyed: tensors in other static objects may be released after it would be.
BlockPool& pool() {
  static BlockPool* const instance = new BlockPool;
  return *instance;
}

}  // namespace

std::shared_ptr<std::byte> allocate_storage(std::size_t size) {
  const std::size_t block = block_size(size);
  const bool kept = kKeeps && block >= kSmallest;
  std::byte* p = kept ? pool().take(block) : nullptr;
  if (!p) p = static_cast<std::byte*>(std::aligned_alloc(64, block));
  if (!p) {  // the memory kept in the pool may be what is missing
    pool().drop();
    p = static_cast<std::byte*>(std::aligned_alloc(64, block));
  }
  if (!p) {
    if (kept) pool().forget(block);
    throw std::bad_alloc();
  }
  return std::shared_ptr<std::byte>(p, [block, kept](std::byte* q) {
    if (!kept || !pool().give(q, block)) std::free(q);
  });
}

std::size_t pooled_bytes() {
  const std::lock_guard lock(pool().mutex);
  return pool().bytes;
}

}  // namespace headlight
