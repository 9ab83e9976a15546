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

bool clusters_fit(const Info& info) {
  int launches_them = 0, count = 0;
  if (called([&] { return cudaDeviceGetAttribute(&launches_them, cudaDevAttrClusterLaunch, info.index); }) != cudaSuccess ||
      launches_them == 0 || info.code < 90)
    return false;
  // The largest cluster of this program. It may not fit where the GPU is divided (MIG) or shared.
  constexpr int kBlocks = 8, kThreads = 256;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = kBlocks;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(kBlocks);
  how.blockDim = dim3(kThreads);
  how.dynamicSmemBytes = static_cast<std::size_t>(info.shared);
  how.attrs = &attribute;
  how.numAttrs = 1;
  return called([&] {
           return cudaFuncSetAttribute(reinterpret_cast<const void*>(probe), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(info.shared));
         }) == cudaSuccess &&
         called([&] { return cudaOccupancyMaxActiveClusters(&count, probe, &how); }) == cudaSuccess && count > 0;
}

}  // namespace headlight::backends::cuda
