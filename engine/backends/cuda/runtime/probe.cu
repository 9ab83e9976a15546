// Finds which of the binary's architectures the runtime chose for this GPU. Asking loads the module's code.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

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
  // the architecture the source was compiled for; the driver may have compiled it further
  if (status == cudaSuccess) *code = attributes.ptxVersion;
  return status;
}

int clusters_at_once(const Info& info, int ranks) {
  int launches_them = 0, count = 0;
  if (called([&] { return cudaDeviceGetAttribute(&launches_them, cudaDevAttrClusterLaunch, info.index); }) != cudaSuccess ||
      launches_them == 0 || info.code < 90)
    return 0;
  constexpr int kThreads = 256;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = static_cast<unsigned>(ranks);
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(static_cast<unsigned>(ranks));
  how.blockDim = dim3(kThreads);
  how.dynamicSmemBytes = static_cast<std::size_t>(info.shared);
  how.attrs = &attribute;
  how.numAttrs = 1;
  const bool known = called([&] {
                       return cudaFuncSetAttribute(reinterpret_cast<const void*>(probe),
                                                   cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(info.shared));
                     }) == cudaSuccess &&
                     called([&] { return cudaOccupancyMaxActiveClusters(&count, probe, &how); }) == cudaSuccess;
  return known ? count : 0;
}

}  // namespace headlight::backends::cuda
