#include "engine/backends/base/backend.h"

#include <chrono>

namespace headlight::backends {

Result<std::vector<Buffer>> Backend::apply(const OpDesc& desc, std::span<const Buffer> in, const CancelToken& cancel) {
  HL_TRY(check_inputs(desc, in, dtype()));
  HL_ASSIGN(const Signature s, signature(desc, dtype()));
  std::vector<Buffer> inputs(in.begin(), in.end());
  for (Buffer& buffer : inputs) {
    if (!buffer.device) buffer.host = buffer.host.compact();
  }
  std::vector<Buffer> outputs;
  for (std::size_t i = 0; i < s.outputs.size(); ++i) {
    HL_ASSIGN(Buffer buffer, allocate(dtype(), s.outputs[i], s.output_axes[i]));
    outputs.push_back(std::move(buffer));
  }
  HL_ASSIGN(const std::unique_ptr<Plan> plan, prepare(desc));
  HL_TRY(execute(*plan, inputs, outputs, cancel));
  return outputs;
}

Result<std::vector<Tensor>> Backend::download_all(std::span<const Buffer> buffers) {
  std::vector<Tensor> all;
  for (const Buffer& buffer : buffers) {
    HL_ASSIGN(Tensor t, download(buffer));
    all.push_back(std::move(t));
  }
  return all;
}

Result<double> Backend::timed(const std::function<Status()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  HL_TRY(work());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace headlight::backends
