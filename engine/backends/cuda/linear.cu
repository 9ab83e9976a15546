// y = activation(x W + b): square tiles of x and W pass through shared memory, one thread an element of y.
#include "engine/backends/cuda/kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kTile = 16;

__device__ float activate(int activation, float x) {
  switch (activation) {
    case 1: return x < 0.0f ? 0.0f : x;
    case 2: return 0.5f * x * erfcf(-x * 0.70710678f);
    case 3: return tanhf(x);
    default: return x;
  }
}

// Row tiles are walked with a stride of the grid, so that any number of rows fits a launch.
__global__ void linear(LinearCall c) {
  __shared__ float x[kTile][kTile];
  __shared__ float w[kTile][kTile];
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kTile + threadIdx.x;
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * kTile; first < c.rows;
       first += static_cast<std::int64_t>(gridDim.y) * kTile) {
    const std::int64_t row = first + threadIdx.y;
    float sum = 0;
    for (std::int64_t k = 0; k < c.inner; k += kTile) {
      const std::int64_t kx = k + threadIdx.x;
      const std::int64_t kw = k + threadIdx.y;
      x[threadIdx.y][threadIdx.x] = row < c.rows && kx < c.inner ? c.x[row * c.inner + kx] : 0.0f;
      w[threadIdx.y][threadIdx.x] = kw < c.inner && column < c.columns ? c.w[kw * c.columns + column] : 0.0f;
      __syncthreads();
      for (int i = 0; i < kTile; ++i) sum += x[threadIdx.y][i] * w[i][threadIdx.x];
      __syncthreads();
    }
    if (row < c.rows && column < c.columns) {
      c.y[row * c.columns + column] = activate(c.activation, sum + (c.bias ? c.bias[column] : 0.0f));
    }
  }
}

}  // namespace

cudaError_t launch_linear(const LinearCall& call) {
  const dim3 blocks(static_cast<unsigned>((call.columns + kTile - 1) / kTile), blocks_for(call.rows, kTile));
  linear<<<blocks, dim3(kTile, kTile)>>>(call);
  return cudaGetLastError();
}

}  // namespace headlight::backends::cuda
