#include "engine/backends/cpu/packed_weights.h"

#include <algorithm>
#include <utility>

#include "engine/backends/cpu/products.h"
#include "engine/backends/cpu/scratch.h"
#include "engine/core/parallel.h"

namespace headlight::backends::cpu {
namespace {

// Below this many numbers a matrix stays in the first-level cache while it is packed, and packing costs next to nothing.
constexpr std::int64_t kWorthKeeping = 4096;

}  // namespace

PackedWeights::PackedWeights(const Kernels& kernels, std::uint64_t most_bytes) : kernels_(kernels), most_(most_bytes) {}

std::uint64_t PackedWeights::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

// Drops what was released, then, while there is too little room, what was not asked for in many calls. A model that is run again
// and again asks for all of its matrices in turn, so that none of them is ever older than there are entries. Called with the
// lock.
bool PackedWeights::make_room(std::uint64_t bytes, std::vector<std::shared_ptr<const float>>& dropped) {
  const auto drop = [&](auto unwanted) {
    for (auto at = entries_.begin(); at != entries_.end();) {
      const auto here = at++;
      if (!unwanted(here->second)) continue;
      bytes_ -= here->second.bytes;
      dropped.push_back(std::move(here->second.packed));
      entries_.erase(here);
    }
  };
  drop([](const Entry& entry) { return entry.storage.expired(); });
  if (bytes_ + bytes <= most_) return true;
  const std::uint64_t old = 8 * entries_.size() + 64;
  drop([&](const Entry& entry) { return calls_ - entry.used > old; });
  return bytes_ + bytes <= most_;
}

std::shared_ptr<const float> PackedWeights::find(const Tensor& matrix, const CancelToken& cancel) {
  const std::int64_t inner = matrix.dim(0), columns = matrix.dim(1);
  return find(matrix.raw(), matrix.storage(), inner, columns,
              [&](float* to) { return pack(kernels_, matrix.data<float>(), columns, false, inner, columns, to, cancel); });
}

std::shared_ptr<const float> PackedWeights::find(const std::shared_ptr<const StoredMatrix>& matrix, const CancelToken& cancel) {
  const std::int64_t inner = matrix->inner(), columns = matrix->columns();
  return find(matrix.get(), matrix, inner, columns, [&](float* to) {
    const auto body = [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> widened(static_cast<std::size_t>(inner * kernels_.panel));
      for (std::int64_t panel = begin; panel < end; ++panel) {
        const std::int64_t first = panel * kernels_.panel, count = std::min(kernels_.panel, columns - first);
        matrix->widen(first, count, widened.data());
        kernels_.pack(widened.data(), inner, true, inner, count, to + first * inner);
      }
    };
    return parallel_for((columns + kernels_.panel - 1) / kernels_.panel, 1, body, cancel);
  });
}

std::shared_ptr<const float> PackedWeights::find(const void* key, const std::weak_ptr<const void>& storage, std::int64_t inner,
                                                 std::int64_t columns, FunctionRef<bool(float*)> pack_into) {
  const std::int64_t size = packed_size(kernels_, inner, columns);
  const std::uint64_t bytes = static_cast<std::uint64_t>(size) * sizeof(float);
  if (inner * columns < kWorthKeeping || columns < kernels_.panel || bytes > most_) return nullptr;
  std::vector<std::shared_ptr<const float>> dropped;  // freed after the lock
  {
    const std::lock_guard lock(mutex_);
    ++calls_;
    const auto at = entries_.find(key);
    const bool known =
        at != entries_.end() && !at->second.storage.expired() && at->second.inner == inner && at->second.columns == columns;
    if (known) at->second.used = calls_;
    if (known && at->second.packed) return at->second.packed;
    if (!make_room(bytes, dropped) && known) return nullptr;
    if (!known) {
      Entry& entry = entries_[key];
      bytes_ -= entry.bytes;
      dropped.push_back(std::move(entry.packed));
      entry = {storage, inner, columns, nullptr, 0, calls_};
      return nullptr;
    }
  }
  // Outside of the lock: another thread may pack the same matrix meanwhile; then one of the two copies is kept.
  Scratch memory;
  float* const to = memory.floats(size);
  if (!pack_into(to)) return nullptr;
  std::shared_ptr<const float> packed = memory.release();
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(key);
  const bool same = at != entries_.end() && at->second.inner == inner && at->second.columns == columns;
  if (!same || at->second.packed || bytes_ + bytes > most_) return packed;
  at->second.packed = packed;
  at->second.bytes = bytes;
  bytes_ += bytes;
  return packed;
}

}  // namespace headlight::backends::cpu
