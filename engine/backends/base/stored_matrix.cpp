#include "engine/backends/base/stored_matrix.h"

#include <utility>

namespace headlight::backends {

bool reads_stored(const Backend& backend) { return backend.device().id == "cpu" && backend.precision() == name_of(DType::f32); }

Buffer stored_buffer(std::shared_ptr<const StoredMatrix> matrix, Axes axes) {
  static const std::shared_ptr<std::byte> nothing = std::make_shared<std::byte>();
  const Shape shape{matrix->inner(), matrix->columns()};
  return {Tensor::over(nothing, DType::f32, shape, std::move(axes)), std::const_pointer_cast<StoredMatrix>(std::move(matrix))};
}

const StoredMatrix* stored_matrix_of(const Buffer& buffer) { return static_cast<const StoredMatrix*>(buffer.device.get()); }

}  // namespace headlight::backends
