// Loads the program's CUDA module and lists the GPUs it finds.
#pragma once

#include <memory>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/cuda_backend.h"

namespace headlight::backends::cuda {

// Errors (unavailable): the build has no module, or it cannot be loaded.
Result<const Module*> loaded_module();
// Errors (unavailable): no module, no driver, or no GPU of this number.
Result<std::shared_ptr<Backend>> open_choice(const Choice& choice);
int gpu_count();  // 0 where there is no module or driver
// The ids of other precisions and of further GPUs, without "cuda": "cuda:tf32", "cuda:bf16", "cuda:1", ...
std::vector<std::string> further_ids();

}  // namespace headlight::backends::cuda
