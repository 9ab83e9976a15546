#include "engine/backends/backend.h"

#include <map>
#include <mutex>

#include "engine/backends/host_backend.h"

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

const Registry<Entry>& registry() {
  static const Registry<Entry> backends(
      "backend", {
                     {"reference", "Reference (double)", "plain loops in double precision", "the published formulas, as written",
                      make_reference},
                     {"cpu", "CPU", "vectorised and threaded, single precision", "Eigen and own kernels", make_cpu},
                     {"cuda", "CUDA", "one GPU, single precision", "CUDA module, loaded at run time", make_cuda},
                 });
  return backends;
}

Result<std::shared_ptr<Backend>> open(std::string_view id) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Backend>, std::less<>> opened;
  HL_ASSIGN(const Entry* entry, registry().get(id));
  const std::lock_guard lock(mutex);
  if (const auto it = opened.find(id); it != opened.end()) return it->second;
  HL_ASSIGN(std::shared_ptr<Backend> backend, entry->make());
  opened.emplace(entry->id, backend);
  return backend;
}

std::vector<Device> devices() {
  std::vector<Device> all;
  for (const Entry& entry : registry().entries()) {
    const auto backend = open(entry.id);
    all.push_back(backend ? (*backend)->device() : Device{entry.id, entry.label, false, backend.error().sentence()});
  }
  return all;
}

}  // namespace headlight::backends
