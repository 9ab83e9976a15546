// Checks of buffers, shared by the backends.
#pragma once

#include <span>

#include "engine/backends/base/backend.h"

namespace headlight::backends {

// check_inputs, and the same for outputs; host buffers must be contiguous.
Status check_buffers(const OpDesc& desc, std::span<const Buffer> in, std::span<const Buffer> out, DType real);

}  // namespace headlight::backends
