// Which of the binary's architectures the runtime chose for this GPU; asking it loads the module's code.
#include "engine/backends/cuda/kernels.h"

namespace headlight::backends::cuda {
namespace {

__global__ void probe(int* out) {
  if (out) *out = 1;
}

}  // namespace

int loaded_code(int device) {
#if defined(HEADLIGHT_CUDA_EMULATION)
  return emulated_code(reinterpret_cast<const void*>(probe), device);
#else
  cudaFuncAttributes attributes;
  if (cudaSetDevice(device) != cudaSuccess) return 0;
  if (cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(probe)) != cudaSuccess) return 0;
  return attributes.ptxVersion;  // what the source was compiled for; the driver may have finished it for a newer GPU
#endif
}

}  // namespace headlight::backends::cuda
