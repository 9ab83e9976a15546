// Finds the CUDA module and opens GPUs through it. The program itself is not linked to any CUDA library.
#include "engine/backends/cuda/load_module.h"

#include <filesystem>
#include <map>
#include <mutex>

#include "engine/backends/base/host_backend.h"
#include "engine/backends/cuda/cuda_backend.h"

#if defined(__unix__)
#include <dlfcn.h>
#endif

namespace headlight::backends {
namespace cuda {
namespace {

Error without_module(const Message& why) {
  return failure(ErrorKind::unavailable, why)
      .mend("everything works on the CPU; build with HEADLIGHT_CUDA=ON where nvcc is installed");
}

Result<const Module*> load() {
#if defined(__unix__)
  // The module lies beside the program in a build tree, and in ../lib/headlight where it is installed.
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = program.parent_path();
  const char* name = "libheadlight_cuda.so";
  for (const std::filesystem::path& path : {folder / name, folder / ".." / "lib" / "headlight" / name}) {
    if (!std::filesystem::exists(path, error)) continue;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return without_module(Message("the CUDA module cannot be loaded: {}", dlerror()));
    const auto factory = reinterpret_cast<Factory>(dlsym(library, kModuleFactory));
    if (!factory) return without_module(Message("the CUDA module {} is not of this program", path.string()));
    const Module* const module = factory();
    if (module->version != kModuleVersion)
      return without_module(Message("the CUDA module {} is of another version", path.string()));
    return module;
  }
#endif
  return without_module(Message("this build has no CUDA module"));
}

}  // namespace

Result<const Module*> loaded_module() {
  static const Result<const Module*> module = load();
  return module;
}

// One Gpu per device, whatever the precision: backends of all precisions can then share buffers.
Result<std::shared_ptr<Backend>> open_choice(const Choice& choice) {
  static std::mutex mutex;
  // Never destroyed: at exit the runtime and cuBLASLt shut down before objects that were made earlier are destroyed, and a call
  // of theirs after that crashes. The driver frees everything when the process ends.
  static auto& opened = *new std::map<int, std::shared_ptr<Gpu>>;
  HL_ASSIGN(const Module* const module, loaded_module());
  const std::lock_guard lock(mutex);
  std::shared_ptr<Gpu>& gpu = opened[choice.device];
  if (!gpu) {
    HL_ASSIGN(gpu, Gpu::open(*module, choice.device));
  }
  return make_backend(gpu, choice.precision);
}

int gpu_count() {
  const auto module = loaded_module();
  return module ? std::max(0, (*module)->count()) : 0;
}

std::vector<std::string> further_ids() {
  std::vector<std::string> all{id_of({0, kTensorFloat32}), id_of({0, kBrainFloat16})};
  for (int device = 1; device < gpu_count(); ++device) all.push_back(id_of({device, kFloat32}));
  return all;
}

}  // namespace cuda

Result<std::shared_ptr<Backend>> make_cuda() { return cuda::open_choice({}); }

}  // namespace headlight::backends
