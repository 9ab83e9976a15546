// The weight matrices of products as the product kernel reads them, packed once and kept for the next runs.
//
// What it costs: a kept matrix takes its own size again, its columns filled up to whole panels (32 with AVX-512, 16 with AVX2, 8
// otherwise). A model of 85 million weights takes 340 MB more. What it saves: reading such a matrix by columns and writing its
// panels in every product, for 32 rows as much work as the product itself.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/backends/cpu/cpu_kernels.h"
#include "engine/core/cancel.h"
#include "engine/core/tensor.h"

namespace headlight::backends::cpu {

class PackedWeights {
 public:
  // Of `most_bytes` at most: a matrix that finds no room is not kept, unless others have not been asked for in a long time.
  PackedWeights(const Kernels& kernels, std::uint64_t most_bytes);

  // The matrix [inner, columns] in C order, as pack() packs it (products.h). Null where it is not worth keeping, when it is asked
  // for the first time (a run that happens once does not pay for it), where there is no room or memory, or if cancelled.
  // A matrix is known by its storage, which is watched but not held. The caller vouches that nobody writes into it any more
  // (Linear::fixed_weights), so the same storage holds the same numbers for as long as it lives. Once it is released, its packed
  // copy goes, too.
  std::shared_ptr<const float> find(const Tensor& matrix, const CancelToken& cancel);

  std::uint64_t bytes() const;  // kept now

 private:
  struct Entry {
    std::weak_ptr<const std::byte> storage;
    std::int64_t inner = 0, columns = 0;
    std::shared_ptr<const float> packed;  // null: seen once
    std::uint64_t bytes = 0, used = 0;    // used: the call that asked last
  };
  bool make_room(std::uint64_t bytes, std::vector<std::shared_ptr<const float>>& dropped);

  const Kernels& kernels_;
  const std::uint64_t most_;
  mutable std::mutex mutex_;
  std::uint64_t bytes_ = 0, calls_ = 0;
  std::unordered_map<const std::byte*, Entry> entries_;
};

}  // namespace headlight::backends::cpu
