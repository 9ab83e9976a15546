// Checks of buffers, shared by the backends.
#pragma once

#include <span>
#include <vector>

#include "engine/backends/base/backend.h"

namespace headlight::backends {

// Checks inputs (check_inputs) and outputs in the same way; host buffers must be contiguous.
// check_buffers(desc, in, out, DType::f32) is an error that names the first buffer of a wrong shape or type.
Status check_buffers(const OpDesc& desc, std::span<const Buffer> in, std::span<const Buffer> out, DType real);

// check_buffers for one plan that is run again and again. Buffers are right if their types, shapes and strides are those of the
// last right ones. A training runs its plans thousands of times, and working out an operation's signature costs as much as a
// small operation.
class CheckedBuffers {
 public:
  // check(desc, in, out, DType::f32) gives check_buffers' answer, from the second time on at almost no cost.
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
