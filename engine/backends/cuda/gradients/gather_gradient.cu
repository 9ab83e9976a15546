// The gradient of a look-up (GatherGradientCall in module.h). dy [rows, d], ids [rows] -> d_table [table_rows, d]
//
// The table is set to 0. Then a block takes a row r of dy: if no earlier row has the same id, it adds up all later rows that have
// it, in their order, and writes the sum. So nothing is added atomically, and equal inputs give equal bits.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) clear_table(GatherGradientCall c) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < c.table_rows * c.d;
       i += static_cast<std::int64_t>(gridDim.x) * kThreads)
    c.d_table[i] = 0.0f;
}

__global__ void __launch_bounds__(kThreads) gather_gradient(GatherGradientCall c) {
  __shared__ unsigned char same[kThreads];
  __shared__ int any;
  const int thread = static_cast<int>(threadIdx.x);
  for (std::int64_t row = blockIdx.x; row < c.rows; row += gridDim.x) {
    const std::int32_t id = c.ids[row];
    if (thread == 0) any = 0;
    __syncthreads();
    for (std::int64_t earlier = thread; earlier < row; earlier += kThreads)
      if (c.ids[earlier] == id) any = 1;  // all that write it write the same
    __syncthreads();
    const bool is_first = any == 0;
    __syncthreads();
    if (!is_first) continue;
    float* const sums = c.d_table + id * c.d;  // each number belongs to one thread
    for (std::int64_t first = row; first < c.rows; first += kThreads) {
      const std::int64_t own = first + thread;
      same[thread] = own < c.rows && c.ids[own] == id ? 1 : 0;
      if (thread == 0) any = 0;
      __syncthreads();
      if (same[thread]) any = 1;
      __syncthreads();
      if (any) {
        for (std::int64_t i = thread; i < c.d; i += kThreads) {
          float sum = sums[i];
          for (int k = 0; k < kThreads; ++k)
            if (same[k]) sum += c.dy[(first + k) * c.d + i];
          sums[i] = sum;
        }
      }
      __syncthreads();
    }
  }
}

}  // namespace

cudaError_t launch_gather_gradient(const GatherGradientCall& c, const Place& place) {
  const cudaError_t cleared =
      launch(clear_table, dim3(blocks_for(c.table_rows * c.d, kThreads)), dim3(kThreads), 0, place.stream, c);
  if (cleared != cudaSuccess) return cleared;
  return launch(gather_gradient, dim3(blocks_for(c.rows, 1)), dim3(kThreads), 0, place.stream, c);
}

}  // namespace headlight::backends::cuda
