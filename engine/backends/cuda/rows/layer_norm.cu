// Layer normalisation over the last axis. input, output [rows, d]; weight (gamma), bias (beta) [d]
//   LayerNorm: output = weight * (x - mean) / sqrt(variance + epsilon) + bias
//   RMSNorm (not centred): output = weight * x / sqrt(mean of x^2 + epsilon), which is the same with a mean of 0 and no bias
//
// Up to d = 1,024 a warp holds one row in registers, so it is read once; the variance is computed from differences from the mean,
// not from squares. Wider rows take a block each and are read three times.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

template <int N>  // numbers a lane holds: 32 N >= d
__global__ void __launch_bounds__(kThreads) layer_norm_warp(LayerNormCall c) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const float d = static_cast<float>(c.d);
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32; row < c.rows;
       row += static_cast<std::int64_t>(gridDim.x) * kWarps) {
    const float* input = c.input + row * c.d;
    float* output = c.output + row * c.d;
    float values[N];
    float part = 0.0f;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const int at = i * 32 + lane;
      values[i] = at < c.d ? input[at] : 0.0f;
      part += values[i];
    }
    const float mean = c.centred ? lanes_sum(part) / d : 0.0f;
    part = 0.0f;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const float difference = i * 32 + lane < c.d ? values[i] - mean : 0.0f;
      part += difference * difference;
    }
    const float deviation = sqrtf(lanes_sum(part) / d + c.epsilon);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const int at = i * 32 + lane;
      if (at < c.d) output[at] = normalised(values[i], mean, deviation, c.weight[at], c.bias ? c.bias[at] : 0.0f);
    }
  }
}

// The sum over the block's threads; every thread gets the same result.
__device__ float block_sum(float value, float* shared) {
  value = lanes_sum(value);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < kWarps; ++i) sum += shared[i];
  __syncthreads();
  return sum;
}

__global__ void __launch_bounds__(kThreads) layer_norm_block(LayerNormCall c) {
  __shared__ float shared[kWarps];
  const float d = static_cast<float>(c.d);
  for (std::int64_t row = blockIdx.x; row < c.rows; row += gridDim.x) {
    const float* input = c.input + row * c.d;
    float part = 0.0f;
    for (std::int64_t i = threadIdx.x; i < c.d; i += kThreads) part += input[i];
    const float mean = c.centred ? block_sum(part, shared) / d : 0.0f;
    part = 0.0f;
    for (std::int64_t i = threadIdx.x; i < c.d; i += kThreads) part += (input[i] - mean) * (input[i] - mean);
    const float deviation = sqrtf(block_sum(part, shared) / d + c.epsilon);
    for (std::int64_t i = threadIdx.x; i < c.d; i += kThreads)
      c.output[row * c.d + i] = normalised(input[i], mean, deviation, c.weight[i], c.bias ? c.bias[i] : 0.0f);
  }
}

}  // namespace

cudaError_t launch_layer_norm(const LayerNormCall& c, const Place& place) {
  const dim3 by_warps(blocks_for(c.rows, kWarps));
  if (c.d <= 256) return launch(layer_norm_warp<8>, by_warps, dim3(kThreads), 0, place.stream, c);
  if (c.d <= 1024) return launch(layer_norm_warp<32>, by_warps, dim3(kThreads), 0, place.stream, c);
  return launch(layer_norm_block, dim3(blocks_for(c.rows, 1)), dim3(kThreads), 0, place.stream, c);
}

}  // namespace headlight::backends::cuda
