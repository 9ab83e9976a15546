// The CUDA backend over a module: the module loaded at run time or, in tests, a module whose kernels run on the CPU.
#pragma once

#include <memory>
#include <string_view>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/runtime/gpu.h"
#include "engine/backends/cuda/runtime/module.h"

namespace headlight::backends::cuda {

// `module` must outlive the backend and its buffers. Device ids are "cuda", "cuda:tf32", "cuda:1", "cuda:1:bf16", ...
// make_backend(*module, 1, kBrainFloat16) is "cuda:1:bf16".
Result<std::shared_ptr<Backend>> make_backend(const Module& module, int device, Precision precision);
// The same on a GPU that is already open. Backends of several precisions on one Gpu share their buffers.
std::shared_ptr<Backend> make_backend(std::shared_ptr<Gpu> gpu, Precision precision);

// The GPU and the precision that a device id such as "cuda:1:bf16" names.
struct Choice {
  int device = 0;
  Precision precision = kFloat32;
};
Result<Choice> parse(std::string_view id);  // error (usage): any other text
std::string id_of(const Choice& choice);

// Bytes of memory of the backend's GPU; 0 for other backends.
std::uint64_t memory_of(const Backend& backend);
// Blocks of the memory pools, for tests; zero for other backends.
PoolCounts memory_counts(const Backend& backend);
// The name of the kernel of this device's last product or attention, such as "attention_tiled"; empty for other backends, which
// have no choice of kernels.
std::string kernel_of(const Backend& backend);
// How many runs of this backend's GPU were recorded and replayed; zero for other backends.
RecordingCounts recording_counts(const Backend& backend);

}  // namespace headlight::backends::cuda
