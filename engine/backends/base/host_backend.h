// The base class of the two backends that compute in host memory, reference and cpu. Their buffers hold tensors.
#pragma once

#include "engine/backends/base/backend.h"

namespace headlight::backends {

class HostBackend : public Backend {
 public:
  explicit HostBackend(DType real) : real_(real) {}
  DType dtype() const override { return real_; }
  // Errors: too_large if the array needs more bytes than the machine has memory; the sentence gives both numbers.
  Result<Buffer> allocate(DType dtype, Shape shape, Axes axes) override;
  Result<Buffer> upload(const Tensor& tensor) override;
  Result<Tensor> download(const Buffer& buffer) override { return buffer.host; }

 private:
  DType real_;
};

// The machine's memory in bytes; 0 if the system does not say.
std::uint64_t physical_memory();

// The backends, each defined in its own folder.
Result<std::shared_ptr<Backend>> make_reference();
Result<std::shared_ptr<Backend>> make_cpu();
// The CPU backend with products whose operands are rounded to bfloat16. Null if the processor lacks such products, or if
// HEADLIGHT_CPU_LEVEL names a level without them.
std::shared_ptr<Backend> make_rounding_cpu();
Result<std::shared_ptr<Backend>> make_cuda();

}  // namespace headlight::backends
