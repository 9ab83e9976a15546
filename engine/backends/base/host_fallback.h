// The fallback for an operation that a backend has no code for: the operation's plain loops, on the host, in the backend's type.
// They are slow and right; the trace names the steps that used them.
#pragma once

#include <memory>

#include "engine/backends/base/backend.h"

namespace headlight::backends {

// A plan for execute_on_host. Errors: those of signature(). prepare_on_host(desc, backend.dtype()) in the backend's type.
Result<std::unique_ptr<Plan>> prepare_on_host(const OpDesc& desc, DType real);
bool is_host_plan(const Plan& plan);
// Downloads the inputs from a device, computes, and uploads the results, which replace the buffers in `out`.
// execute_on_host(*this, plan, in, out, cancel) is a backend's execute() for such a plan.
Status execute_on_host(Backend& backend, const Plan& plan, std::span<const Buffer> in, std::span<Buffer> out,
                       const CancelToken& cancel);

}  // namespace headlight::backends
