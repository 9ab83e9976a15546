// A matrix product on a backend, for what insights compute beside the model's own run.
#pragma once

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"

namespace headlight {

// x [rows, inner] times w [inner, columns], both on the backend: [rows, columns]. Errors: the backend's own; cancelled.
// backend_product(backend, x, w, cancel) of {{1, 2}} and {{5}, {6}} holds {{17}}.
Result<backends::Buffer> backend_product(backends::Backend& backend, const backends::Buffer& x, const backends::Buffer& w,
                                         const CancelToken& cancel);

}  // namespace headlight
