#include "engine/backends/backends.h"

#include <map>
#include <mutex>

#include "engine/backends/base/host_backend.h"
#include "engine/backends/cuda/load_module.h"

namespace headlight::backends {

const Registry<Entry>& registry() {
  static const Registry<Entry> backends(
      "backend", {
                     {"reference", "Reference (double)", "plain loops in double precision", "the published formulas, as written",
                      make_reference},
                     {"cpu", "CPU", "vectorised and threaded, single precision", "own kernels", make_cpu},
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

std::shared_ptr<Backend> with_bfloat16_products(const Backend& backend) {
  const std::string id = backend.device().id;
  if (id == "cpu") return make_rounding_cpu();
  if (!id.starts_with("cuda")) return nullptr;
  Result<cuda::Choice> choice = cuda::parse(id);
  if (!choice) return nullptr;
  choice->precision = cuda::kBrainFloat16;
  Result<std::shared_ptr<Backend>> opened = open(cuda::id_of(*choice));
  return opened ? *opened : nullptr;
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
    all.push_back(backend ? (*backend)->device() : Device{entry.id, entry.label, false, backend.error().whole()});
    if (entry.id != "cuda" || !backend) continue;
    for (const std::string& id : cuda::further_ids()) {
      const auto further = open(id);
      all.push_back(further ? (*further)->device() : Device{id, entry.label, false, further.error().whole()});
    }
  }
  return all;
}

}  // namespace headlight::backends
