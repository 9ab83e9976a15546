// What a backend does with an operation that it has no way of its own for: the operation's plain loops, on the host, in the
// backend's type. Slow and right; the trace says of each step where it was so.
#pragma once

#include <memory>

#include "engine/backends/base/backend.h"

namespace headlight::backends {

// A plan for execute_on_host. Errors: those of signature().
Result<std::unique_ptr<Plan>> prepare_on_host(const OpDesc& desc, DType real);
bool is_host_plan(const Plan& plan);
// Downloads what lies on a device, computes, and uploads the results, which replace the buffers in `out`.
Status execute_on_host(Backend& backend, const Plan& plan, std::span<const Buffer> in, std::span<Buffer> out,
                       const CancelToken& cancel);

}  // namespace headlight::backends
