// Checks shared by the backends, and the mask as an array that is walked with strides of zero where it broadcasts.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/backends/base/backend.h"

namespace headlight::backends {

// Bytes of an array, refusing counts that overflow.
Result<std::uint64_t> checked_bytes(DType dtype, const Shape& shape);

// check_inputs, and the same for outputs; host buffers must be contiguous.
Status check_buffers(const OpDesc& desc, std::span<const Buffer> in, std::span<const Buffer> out, DType real);

// Every id within 0 .. rows-1; the error names the first that is not, as [i], or [i / per_line, i % per_line] if per_line > 0.
Status check_ids(std::span<const std::int32_t> ids, std::int64_t rows, std::int64_t per_line, const char* where);

// Elements to step per axis of [batch, head, query, key]; 0 on axes where the mask has size 1.
inline std::array<std::int64_t, 4> mask_strides(const Shape& shape) {
  std::array<std::int64_t, 4> strides{};
  std::int64_t step = 1;
  for (std::size_t axis = 4; axis-- > 0;) {
    strides[axis] = shape[axis] == 1 ? 0 : step;
    step *= shape[axis];
  }
  return strides;
}

}  // namespace headlight::backends
