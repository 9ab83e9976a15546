// Transposed matrices, [batch, rows, columns] -> [batch, columns, rows], on request with numbers dropped on the way. A block
// moves a tile of 32 x 32 through shared memory, so that it reads along rows of the input and writes along rows of the output.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kTile = 32, kThreads = 256, kLines = kThreads / kTile;

__global__ void __launch_bounds__(kThreads) transpose(TransposeCall c, std::int64_t column_tiles, std::int64_t tiles) {
  __shared__ float tile[kTile][kTile + 1];  // a column more, so that neighbours in a column lie in different banks
  const int x = static_cast<int>(threadIdx.x) % kTile, y = static_cast<int>(threadIdx.x) / kTile;
  const std::uint32_t key = c.draws.counter ? draw_key(c.draws.seed, *c.draws.counter) : 0;
  for (std::int64_t at = blockIdx.x; at < c.batch * tiles; at += gridDim.x) {
    const std::int64_t matrix = at / tiles * c.rows * c.columns;
    const std::int64_t row0 = at % tiles / column_tiles * kTile, column0 = at % tiles % column_tiles * kTile;
    for (int line = y; line < kTile; line += kLines) {
      const std::int64_t row = row0 + line, column = column0 + x;
      if (row >= c.rows || column >= c.columns) continue;
      const std::int64_t from = matrix + row * c.columns + column;
      float value = c.input[from];
      if (c.draws.counter) value = is_kept(key, c.draws.threshold, from) ? value * c.draws.factor : 0.0f;
      tile[line][x] = value;
    }
    __syncthreads();
    for (int line = y; line < kTile; line += kLines) {
      const std::int64_t row = row0 + x, column = column0 + line;
      if (row < c.rows && column < c.columns) c.output[matrix + column * c.rows + row] = tile[x][line];
    }
    __syncthreads();
  }
}

}  // namespace

cudaError_t launch_transpose(const TransposeCall& c, const Place& place) {
  const std::int64_t column_tiles = tiles_of(c.columns, kTile), tiles = tiles_of(c.rows, kTile) * column_tiles;
  return launch(transpose, dim3(blocks_for(c.batch * tiles, 1)), dim3(kThreads), 0, place.stream, c, column_tiles, tiles);
}

}  // namespace headlight::backends::cuda
