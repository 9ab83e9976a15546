#include "engine/backends/base/host_fallback.h"

#include <new>
#include <vector>

namespace headlight::backends {
namespace {

struct HostPlan : Plan {
  explicit HostPlan(OpDesc d) : desc(std::move(d)) {}
  OpDesc desc;
};

}  // namespace

Result<std::unique_ptr<Plan>> prepare_on_host(const OpDesc& desc, DType real) {
  HL_ASSIGN([[maybe_unused]] const Signature s, signature(desc, real));
  return std::unique_ptr<Plan>(std::make_unique<HostPlan>(desc));
}

bool is_host_plan(const Plan& plan) { return dynamic_cast<const HostPlan*>(&plan) != nullptr; }

Status execute_on_host(Backend& backend, const Plan& plan, std::span<const Buffer> in, std::span<Buffer> out,
                       const CancelToken& cancel) {
  const OpDesc& desc = static_cast<const HostPlan&>(plan).desc;
  try {
    std::vector<Tensor> inputs, outputs;
    for (const Buffer& buffer : in) {
      HL_ASSIGN(const Tensor t, backend.download(buffer));
      inputs.push_back(t.compact());
    }
    for (const Buffer& buffer : out)
      outputs.push_back(buffer.device ? Tensor(buffer.host.dtype(), buffer.shape(), buffer.host.axes(), true) : buffer.host);
    HL_TRY(compute(desc, inputs, outputs, cancel));
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!out[i].device) continue;  // written in place
      HL_ASSIGN(out[i], backend.upload(outputs[i]));
    }
    return {};
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "no memory for the plain loops").at(desc.id()).mend("use smaller sizes");
  }
}

}  // namespace headlight::backends
