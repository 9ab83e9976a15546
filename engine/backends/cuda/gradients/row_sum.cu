// Sums over rows (RowSumCall in module.h): the gradient of what is added to or multiplies every row, such as a bias or a norm's
// weight. input, x [rows, columns] -> output [parts, columns]
//
// A block sums 32 columns of one part: each of eight warps takes every eighth row, then their sums are added in order. So the
// order depends on the sizes alone, and equal inputs give equal bits.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kColumns = 32, kThreads = 256, kLines = kThreads / kColumns;

__device__ float normalised_x(const RowSumCall& c, std::int64_t row, std::int64_t column) {
  const float* statistics = c.statistics + 3 * row;
  return (c.x[row * c.columns + column] - statistics[0] - statistics[1]) * statistics[2];
}

__global__ void __launch_bounds__(kThreads) row_sum(RowSumCall c, std::int64_t column_tiles) {
  __shared__ float sums[kLines][kColumns];
  const int x = static_cast<int>(threadIdx.x) % kColumns, y = static_cast<int>(threadIdx.x) / kColumns;
  for (std::int64_t at = blockIdx.x; at < c.parts * column_tiles; at += gridDim.x) {
    const std::int64_t part = at / column_tiles, column = at % column_tiles * kColumns + x;
    const std::int64_t begin = part * c.rows / c.parts, end = (part + 1) * c.rows / c.parts;
    float sum = 0.0f;
    for (std::int64_t row = begin + y; row < end && column < c.columns; row += kLines)
      sum += c.input[row * c.columns + column] * (c.x ? normalised_x(c, row, column) : 1.0f);
    sums[y][x] = sum;
    __syncthreads();
    if (y == 0 && column < c.columns) {
      for (int line = 1; line < kLines; ++line) sum += sums[line][x];
      c.output[part * c.columns + column] = sum;
    }
    __syncthreads();
  }
}

}  // namespace

cudaError_t launch_row_sum(const RowSumCall& c, const Place& place) {
  const std::int64_t column_tiles = tiles_of(c.columns, kColumns);
  return launch(row_sum, dim3(blocks_for(c.parts * column_tiles, 1)), dim3(kThreads), 0, place.stream, c, column_tiles);
}

}  // namespace headlight::backends::cuda
