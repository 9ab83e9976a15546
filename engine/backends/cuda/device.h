// What a kernel file includes instead of the CUDA headers: CUDA itself, or (in tests) a stand-in that runs the same source on
// the CPU, thread by thread. Launches go through launch(), dynamic shared memory through HL_DYNAMIC_SHARED.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(HEADLIGHT_CUDA_EMULATION)
#include HEADLIGHT_CUDA_EMULATION
#else
#include <cuda_runtime.h>

#define HL_DYNAMIC_SHARED(Type, name)                         \
  extern __shared__ __align__(16) unsigned char hl_dynamic[]; \
  Type* const name = reinterpret_cast<Type*>(hl_dynamic)

namespace headlight::backends::cuda {

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream,
                   const Arguments&... arguments) {
  if (shared > (48u << 10)) {  // more than the default must be asked for
    const cudaError_t status = cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                                    cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
    if (status != cudaSuccess) return status;
  }
  kernel<<<grid, block, shared, stream>>>(arguments...);
  return cudaGetLastError();
}

}  // namespace headlight::backends::cuda
#endif

#include "engine/backends/cuda/functors.h"

namespace headlight::backends::cuda {

constexpr unsigned kAllLanes = 0xffffffffu;

// Over `width` neighbouring lanes (a power of two, at most 32); the same result in each of them.
__device__ inline float lanes_sum(float x, int width = 32) {
  for (int step = width / 2; step > 0; step /= 2) x += __shfl_xor_sync(kAllLanes, x, step);
  return x;
}
__device__ inline float lanes_largest(float x, int width = 32) {  // NaN ignored
  for (int step = width / 2; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, step));
  return x;
}

// Blocks of `threads` for a grid-stride loop over `count`: enough to fill any GPU, never more than a launch allows.
inline unsigned blocks_for(std::int64_t count, int threads) {
  const std::int64_t blocks = (count + threads - 1) / threads;
  return static_cast<unsigned>(blocks < 1 ? 1 : (blocks > 65535 ? 65535 : blocks));
}

}  // namespace headlight::backends::cuda
