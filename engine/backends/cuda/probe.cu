// Which of the binary's architectures the runtime chose for this GPU; asking it loads the module's code.
#include "engine/backends/cuda/kernels.h"

namespace headlight::backends::cuda {
namespace {

__global__ void probe(int* out) {
  if (out) *out = 1;
}

}  // namespace

cudaError_t loaded_code(int device, int* code) {
  cudaFuncAttributes attributes;
  cudaError_t status = called([&] { return cudaSetDevice(device); });
  if (status != cudaSuccess) return status;
  status = called([&] { return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(probe)); });
  if (status == cudaSuccess) *code = attributes.ptxVersion;  // what the source was compiled for; the driver may have finished it
  return status;
}

}  // namespace headlight::backends::cuda
