#include "engine/backends/backend.h"

#include <chrono>
#include <map>
#include <mutex>

#include "engine/backends/cuda/load_module.h"
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
  // Never destroyed: CUDA's own end at the process's exit comes first, and after it no GPU may be called any more.
  static auto& opened = *new std::map<std::string, std::shared_ptr<Backend>, std::less<>>;
  if (id.starts_with("cuda:")) {  // another GPU, another precision
    HL_ASSIGN(const cuda::Choice choice, cuda::parse(id));
    return cuda::open_choice(choice);
  }
  HL_ASSIGN(const Entry* entry, registry().get(id));
  const std::lock_guard lock(mutex);
  if (const auto it = opened.find(id); it != opened.end()) return it->second;
  HL_ASSIGN(std::shared_ptr<Backend> backend, entry->make());
  opened.emplace(entry->id, backend);
  return backend;
}

std::vector<std::string> known_ids() {
  std::vector<std::string> all;
  for (const Entry& entry : registry().entries()) all.push_back(entry.id);
  constexpr int kMostGpus = 8;  // of one machine
  for (int device = 0; device < kMostGpus; ++device)
    for (const cuda::Precision precision : {cuda::kFloat32, cuda::kTensorFloat32, cuda::kBrainFloat16})
      if (device > 0 || precision != cuda::kFloat32) all.push_back(cuda::id_of({device, precision}));
  return all;
}

std::vector<Device> devices() {
  std::vector<Device> all;
  for (const Entry& entry : registry().entries()) {
    const auto backend = open(entry.id);
    all.push_back(backend ? (*backend)->device() : Device{entry.id, entry.label, false, backend.error().sentence()});
    if (entry.id != "cuda" || !backend) continue;
    for (const std::string& id : cuda::further_ids()) {
      const auto further = open(id);
      all.push_back(further ? (*further)->device() : Device{id, entry.label, false, further.error().sentence()});
    }
  }
  return all;
}

}  // namespace headlight::backends
