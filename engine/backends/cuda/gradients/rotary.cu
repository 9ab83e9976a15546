// Rotary positions (RotaryCall in module.h): a thread turns one pair of a row, (y_a, y_b) = (x_a cos - x_b sin, x_a sin + x_b
// cos), or turns it back, which is the gradient. input, output [rows, d_k]; turns [length, d_k / 2, 2], computed by the host in
// double.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) rotary(RotaryCall c) {
  const std::int64_t half = c.d_k / 2;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < c.rows * half;
       i += static_cast<std::int64_t>(gridDim.x) * kThreads) {
    const std::int64_t row = i / half, pair = i % half;
    const float* turn = c.turns + (row % c.length * half + pair) * 2;
    const float cosine = turn[0], sine = c.back ? -turn[1] : turn[1];
    const std::int64_t a = row * c.d_k + (c.halves ? pair : 2 * pair), b = c.halves ? a + half : a + 1;
    const float x = c.input[a], y = c.input[b];
    c.output[a] = x * cosine - y * sine;
    c.output[b] = x * sine + y * cosine;
  }
}

}  // namespace

cudaError_t launch_rotary(const RotaryCall& c, const Place& place) {
  return launch(rotary, dim3(blocks_for(c.rows * (c.d_k / 2), kThreads)), dim3(kThreads), 0, place.stream, c);
}

}  // namespace headlight::backends::cuda
