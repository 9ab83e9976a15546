// A mask and a bias in one shape (MasksCall in module.h): the attention kernels read both at the same cell. A thread copies one
// cell of each; keep, bias -> all_keep, all_bias [batch, heads, queries, keys], each size that or 1.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) masks(MasksCall c) {
  const std::int64_t count = c.sizes[0] * c.sizes[1] * c.sizes[2] * c.sizes[3];
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * kThreads) {
    const std::int64_t key = i % c.sizes[3], row = i / c.sizes[3];
    const std::int64_t query = row % c.sizes[2], h = row / c.sizes[2] % c.sizes[1], b = row / c.sizes[2] / c.sizes[1];
    c.all_keep[i] = c.keep[mask_cell(c.keep_step, b, h, query, key)];
    c.all_bias[i] = c.bias[mask_cell(c.bias_step, b, h, query, key)];
  }
}

}  // namespace

cudaError_t launch_masks(const MasksCall& c, const Place& place) {
  const std::int64_t count = c.sizes[0] * c.sizes[1] * c.sizes[2] * c.sizes[3];
  return launch(masks, dim3(blocks_for(count, kThreads)), dim3(kThreads), 0, place.stream, c);
}

}  // namespace headlight::backends::cuda
