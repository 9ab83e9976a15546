#include "engine/checkpoints/read_ahead.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <vector>

#include "engine/core/sorting.h"

namespace headlight::checkpoints {
namespace {

constexpr std::size_t kAtOnce = std::size_t{4} << 20;  // bytes

std::uint64_t half_of_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) / 2 : UINT64_MAX;
}

// Reads a byte of every page.
void touch(std::span<const std::byte> bytes, std::size_t page) {
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) / page * page;
  // Only a hint: reading gives the pages all the same.
  ::madvise(reinterpret_cast<void*>(begin), reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) - begin, MADV_WILLNEED);
  for (std::size_t at = 0; at < bytes.size(); at += page) static_cast<void>(*const_cast<const volatile std::byte*>(&bytes[at]));
}

}  // namespace

void read_ahead(const TensorFile& file, FunctionRef<void(std::uint64_t done, std::uint64_t total)> progress,
                const CancelToken& cancel) {
  std::vector<std::span<const std::byte>> parts;
  std::uint64_t total = 0, done = 0;
  for (const StoredTensor& tensor : file.tensors()) {
    parts.push_back(tensor.bytes);
    total += tensor.bytes.size();
  }
  total = std::min(total, half_of_memory());
  // In the order of the disk.
  sort_stably(parts, [](const auto& a, const auto& b) { return a.data() < b.data(); });
  const auto page = static_cast<std::size_t>(std::max(4096L, ::sysconf(_SC_PAGESIZE)));
  std::uint64_t told = 0;
  for (const std::span<const std::byte> part : parts)
    for (std::size_t at = 0; at < part.size(); at += kAtOnce) {
      if (cancel.cancelled() || done >= total) return;
      const auto piece = part.subspan(at, std::min(kAtOnce, part.size() - at));
      touch(piece, page);
      done += piece.size();
      if (done - told < kAtOnce && done < total) continue;
      told = done;
      progress(std::min(done, total), total);
    }
}

}  // namespace headlight::checkpoints
