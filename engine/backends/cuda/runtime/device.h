// The CUDA headers, as kernel files include them. In tests, a stand-in replaces CUDA and runs the same source on the CPU, thread
// by thread. Kernels are launched by launch(); HL_DYNAMIC_SHARED(float, tile) declares tile as the dynamic shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/backends/cuda/runtime/functors.h"

#if defined(HEADLIGHT_CUDA_EMULATION)
#include HEADLIGHT_CUDA_EMULATION
#else
#include <cuda_runtime.h>

#define HL_DYNAMIC_SHARED(Type, name)                         \
  extern __shared__ __align__(16) unsigned char hl_dynamic[]; \
  Type* const name = reinterpret_cast<Type*>(hl_dynamic)
#endif

namespace headlight::backends::cuda {

// Makes a CUDA call: called([&] { return cudaSetDevice(device); }). Every CUDA call goes through called(), so that test builds
// can make any of them fail (Module::fail_call); the call is then not made. Calls that release something are exempt, because
// nothing depends on whether they fail.
#if defined(HEADLIGHT_CUDA_FAIL_CALLS)
bool fails_now(cudaError_t* status);  // session.cu
template <class Call>
cudaError_t called(Call&& call) {
  cudaError_t status = cudaSuccess;
  return fails_now(&status) ? status : call();
}
#else
template <class Call>
cudaError_t called(Call&& call) {
  return call();
}
#endif

// The shape of a launch.
struct Shape {
  dim3 grid, block;        // blocks of the grid, threads of a block
  std::size_t shared = 0;  // bytes of dynamic shared memory of a block
  // Blocks of a cluster: neighbours along x, which reach each other's shared memory (compute 9.0 and later).
  int cluster = 1;
  // Whether the blocks may start while the stream's last launch ends (compute 9.0 and later). The kernel must then call
  // wait_for_last_launch() before it touches memory.
  bool overlaps = false;
};

// Puts a kernel on the stream: launch(scale_rows, dim3(blocks), dim3(256), 0, place.stream, x, rows).
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), const Shape& shape, cudaStream_t stream, const Arguments&... arguments) {
  if (shape.shared > (48u << 10)) {  // sizes above the default must be allowed first
    const cudaError_t status = called([&] {
      return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shape.shared));
    });
    if (status != cudaSuccess) return status;
  }
  cudaLaunchAttribute attributes[2];
  unsigned count = 0;
  if (shape.cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim.x = static_cast<unsigned>(shape.cluster);
    attributes[count].val.clusterDim.y = attributes[count].val.clusterDim.z = 1;
    ++count;
  }
  if (shape.overlaps) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count].val.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  cudaLaunchConfig_t how{};
  how.gridDim = shape.grid;
  how.blockDim = shape.block;
  how.dynamicSmemBytes = shape.shared;
  how.stream = stream;
  how.attrs = attributes;
  how.numAttrs = count;
  return called([&] {
    const cudaError_t status = cudaLaunchKernelEx(&how, kernel, static_cast<Parameters>(arguments)...);
    return status == cudaSuccess ? cudaGetLastError() : status;
  });
}

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream,
                   const Arguments&... arguments) {
  Shape shape{};
  shape.grid = grid;
  shape.block = block;
  shape.shared = shared;
  return launch(kernel, shape, stream, arguments...);
}

constexpr unsigned kAllLanes = 0xffffffffu;

// The sum and the largest number over `width` neighbouring lanes (a power of two, at most 32). Every one of these lanes gets the
// result. All 32 lanes of the warp must take part. lanes_sum(x, 4): lanes 0 .. 3 get the sum of their four x, and so on.
__device__ inline float lanes_sum(float x, int width = 32) {
  for (int step = width / 2; step > 0; step /= 2) x += __shfl_xor_sync(kAllLanes, x, step);
  return x;
}
__device__ inline float lanes_largest(float x, int width = 32) {  // NaN ignored
  for (int step = width / 2; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, step));
  return x;
}

// The number of blocks of `threads` threads for a grid-stride loop over `count` numbers: 1 to 65,535, which fills any GPU.
// blocks_for(1000, 256) is 4.
inline unsigned blocks_for(std::int64_t count, int threads) {
  const std::int64_t blocks = (count + threads - 1) / threads;
  return static_cast<unsigned>(blocks < 1 ? 1 : (blocks > 65535 ? 65535 : blocks));
}

}  // namespace headlight::backends::cuda
