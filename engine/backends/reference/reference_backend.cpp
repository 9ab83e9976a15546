// The backend of plain loops in double: every operation as its own file in engine/operations writes it. Read those to learn what
// an operation is; all other backends are compared with this one.
#include "engine/backends/base/checks.h"
#include "engine/backends/base/host_backend.h"
#include "engine/backends/base/host_fallback.h"

namespace headlight::backends {
namespace {

class ReferenceBackend : public HostBackend {
 public:
  ReferenceBackend() : HostBackend(DType::f64) {}
  Device device() const override { return {"reference", "Reference, 1 thread, double", true, {}}; }
  bool supports(const OpDesc&) const override { return true; }
  Result<std::unique_ptr<Plan>> prepare(const OpDesc& desc) override { return prepare_on_host(desc, dtype()); }
  Status execute(Plan& plan, std::span<const Buffer> in, std::span<Buffer> out, const CancelToken& cancel) override {
    return execute_on_host(*this, plan, in, out, cancel);
  }
};

}  // namespace

Result<std::shared_ptr<Backend>> make_reference() { return std::shared_ptr<Backend>(std::make_shared<ReferenceBackend>()); }

}  // namespace headlight::backends
