// A weight matrix that stays as its file stores it, in blocks of few bits or as half floats, and is widened by the product that
// uses it, panel by panel: no float32 copy of the whole matrix is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/backends/base/backend.h"
#include "engine/checkpoints/stored_type.h"

namespace headlight::backends {

class StoredMatrix {
 public:
  virtual ~StoredMatrix() = default;
  // W is [inner, columns] as it multiplies from the right; a file has its columns one after another.
  virtual std::int64_t inner() const = 0;
  virtual std::int64_t columns() const = 0;
  virtual checkpoints::StoredType type() const = 0;
  // Where the blocks of each column begin; null: columns do not begin with a block.
  virtual const std::byte* const* starts() const = 0;
  // Whether a packed copy in float32 takes no more memory than the stored numbers, so that keeping one saves time and costs
  // little.
  virtual bool worth_packing() const = 0;
  // Columns first .. first + count - 1 as float32, each `inner` numbers, one after another. May be called by several threads.
  virtual void widen(std::int64_t first, std::int64_t count, float* to) const = 0;
};

// Whether the backend's products read stored matrices: the CPU backend in float32.
bool reads_stored(const Backend& backend);
// The matrix as the weights of a Linear: the buffer has its shape and type, and owns the matrix, as a device's buffer would.
Buffer stored_buffer(std::shared_ptr<const StoredMatrix> matrix, Axes axes);
// The matrix of such a buffer on a host backend; null: the buffer holds numbers.
const StoredMatrix* stored_matrix_of(const Buffer& buffer);

}  // namespace headlight::backends
