// PackedWeights: the weight matrices of products as the product kernel reads them, packed once and kept for the next runs.
//
// Cost: a kept matrix takes its own size again, its columns filled up to whole panels (32 with AVX-512, 16 with AVX2, 8
// otherwise). A model of 85 million weights takes 340 MB more. Saving: no product has to read the matrix by columns and write its
// panels, which is as much work as a product of 32 rows.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/backends/base/stored_matrix.h"
#include "engine/backends/cpu/cpu_kernels.h"
#include "engine/core/cancel.h"
#include "engine/core/function_ref.h"
#include "engine/core/tensor.h"

namespace headlight::backends::cpu {

class PackedWeights {
 public:
  // Keeps at most `most_bytes`. A matrix that finds no room is not kept, unless others can go that were not used for a long time.
  PackedWeights(const Kernels& kernels, std::uint64_t most_bytes);

  // The matrix [inner, columns] in C order, as pack() packs it (products.h). Null if the matrix is too small to be worth keeping,
  // is asked for the first time (a single run would not profit), finds no room, or if cancelled. Throws std::bad_alloc.
  // A matrix is known by its storage, which is watched but not held. The caller guarantees that nobody writes into the storage
  // any more (Linear::fixed_weights), so that the same storage always holds the same numbers. When the storage is released, its
  // packed copy is dropped. The second call of find(w, cancel) gives w's packed copy.
  std::shared_ptr<const float> find(const Tensor& matrix, const CancelToken& cancel);
  // The same of a stored matrix, for as long as somebody holds it.
  std::shared_ptr<const float> find(const std::shared_ptr<const StoredMatrix>& matrix, const CancelToken& cancel);

  std::uint64_t bytes() const;  // of all packed copies kept now

 private:
  struct Entry {
    std::weak_ptr<const void> storage;
    std::int64_t inner = 0, columns = 0;
    std::shared_ptr<const float> packed;  // null: asked for once so far
    std::uint64_t bytes = 0, used = 0;    // used: the number of the last call that asked
  };
  // `pack_into` writes the packed matrix; false: cancelled.
  std::shared_ptr<const float> find(const void* key, const std::weak_ptr<const void>& storage, std::int64_t inner,
                                    std::int64_t columns, FunctionRef<bool(float*)> pack_into);
  bool make_room(std::uint64_t bytes, std::vector<std::shared_ptr<const float>>& dropped);

  const Kernels& kernels_;
  const std::uint64_t most_;
  mutable std::mutex mutex_;
  std::uint64_t bytes_ = 0, calls_ = 0;
  std::unordered_map<const void*, Entry> entries_;
};

}  // namespace headlight::backends::cpu
