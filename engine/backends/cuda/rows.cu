// Operations on rows: look-up, sum, layer normalisation, and heads apart and together.
#include "engine/backends/cuda/kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256;

__device__ std::int64_t first_index() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ std::int64_t stride() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

__global__ void gather(RowsCall c) {
  for (std::int64_t i = first_index(); i < c.rows * c.d; i += stride()) {
    c.y[i] = c.x[static_cast<std::int64_t>(c.ids[i / c.d]) * c.d + i % c.d];
  }
}

__global__ void add(RowsCall c) {
  for (std::int64_t i = first_index(); i < c.rows * c.d; i += stride()) c.y[i] = c.x[i] + c.other[c.repeats ? i % c.d : i];
}

// The sum of `value` over the block's threads, the same in each of them.
__device__ float block_sum(float value, float* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  const float sum = shared[0];
  __syncthreads();
  return sum;
}

__global__ void layer_norm(RowsCall c) {
  __shared__ float shared[kThreads];
  for (std::int64_t row = blockIdx.x; row < c.rows; row += gridDim.x) {
    const float* x = c.x + row * c.d;
    float part = 0;
    for (std::int64_t i = threadIdx.x; i < c.d; i += kThreads) part += x[i];
    const float mean = block_sum(part, shared) / static_cast<float>(c.d);
    part = 0;
    for (std::int64_t i = threadIdx.x; i < c.d; i += kThreads) part += (x[i] - mean) * (x[i] - mean);
    const float deviation = sqrtf(block_sum(part, shared) / static_cast<float>(c.d) + c.epsilon);
    for (std::int64_t i = threadIdx.x; i < c.d; i += kThreads)
      c.y[row * c.d + i] = c.other[i] * (x[i] - mean) / deviation + c.more[i];
  }
}

__global__ void heads(HeadsCall c) {
  const std::int64_t count = c.batch * c.length * c.heads * c.d_k;
  for (std::int64_t i = first_index(); i < count; i += stride()) {
    // i runs over [batch, length, heads, d_k].
    const std::int64_t k = i % c.d_k;
    const std::int64_t h = i / c.d_k % c.heads;
    const std::int64_t row = i / c.d_k / c.heads;
    const std::int64_t apart = ((row / c.length * c.heads + h) * c.length + row % c.length) * c.d_k + k;
    if (c.split) {
      c.y[apart] = c.x[i];
    } else {
      c.y[i] = c.x[apart];
    }
  }
}

}  // namespace

cudaError_t launch_gather(const RowsCall& call) {
  gather<<<blocks_for(call.rows * call.d, kThreads), kThreads>>>(call);
  return cudaGetLastError();
}
cudaError_t launch_add(const RowsCall& call) {
  add<<<blocks_for(call.rows * call.d, kThreads), kThreads>>>(call);
  return cudaGetLastError();
}
cudaError_t launch_layer_norm(const RowsCall& call) {
  layer_norm<<<blocks_for(call.rows, 1), kThreads>>>(call);
  return cudaGetLastError();
}
cudaError_t launch_heads(const HeadsCall& call) {
  heads<<<blocks_for(call.batch * call.length * call.heads * call.d_k, kThreads), kThreads>>>(call);
  return cudaGetLastError();
}

}  // namespace headlight::backends::cuda
