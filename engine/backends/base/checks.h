// Checks of buffers, shared by the backends.
#pragma once

#include <span>
#include <vector>

#include "engine/backends/base/backend.h"

namespace headlight::backends {

// check_inputs, and the same for outputs; host buffers must be contiguous.
Status check_buffers(const OpDesc& desc, std::span<const Buffer> in, std::span<const Buffer> out, DType real);

// check_buffers of one plan that is run again and again: buffers of the types, shapes and strides of the last ones that were
// right are right, too. A training's plans are run thousands of times, and working out what an operation takes costs as much as a
// small operation.
class CheckedBuffers {
 public:
  Status check(const OpDesc& desc, std::span<const Buffer> in, std::span<const Buffer> out, DType real);

 private:
  struct Layout {
    DType dtype = DType::f32;
    Shape shape, strides;
  };
  bool knows(std::span<const Buffer> in, std::span<const Buffer> out) const;
  std::vector<Layout> in_, out_;
};

}  // namespace headlight::backends
