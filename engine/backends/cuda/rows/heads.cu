// Splits heads, [batch, length, heads * d_k] -> [batch, heads, length, d_k], and merges them again. A thread copies one number; a
// warp reads and writes neighbouring numbers.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void heads(HeadsCall c) {
  const std::int64_t count = c.batch * c.length * c.heads * c.d_k;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const std::int64_t apart = apart_index(i, c.length, c.heads, c.d_k);
    if (c.split) {
      c.output[apart] = c.input[i];
    } else {
      c.output[i] = c.input[apart];
    }
  }
}

}  // namespace

cudaError_t launch_heads(const HeadsCall& c, const Place& place) {
  return launch(heads, dim3(blocks_for(c.batch * c.length * c.heads * c.d_k, kThreads)), dim3(kThreads), 0, place.stream, c);
}

}  // namespace headlight::backends::cuda
