// Attention in float32 by tiles (the formula and shapes are those of attention_simple.cu; heads up to 128 wide).
//
// A block takes 64 queries of one head and steps through the keys, 64 at a time. The scores of a 64 x 64 tile are computed,
// masked and turned into weights in registers, 4 x 4 per thread; the weights then go through shared memory to be multiplied with
// the values. The context stays in registers until the end. No [queries, keys] array is written unless it is kept. Kept weights
// are final only once the whole row was seen: the block writes the masked scores to the output first and turns them into weights
// at the end.
//   thread (ty, tx) of 16 x 16: rows 4 ty .. 4 ty + 3, keys 4 tx .. 4 tx + 3, context columns 64 c + 4 tx .. + 3
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kTile = 64, kThreads = 256, kChunk = 32;
constexpr int kRow = kTile + 4;  // floats from one line of a tile to the next: 16-byte aligned, in different banks
constexpr int kWidest = 128;

// Loads tile[column][row] = from[row, column0 + column], 32 columns and 64 rows, zeros outside. A warp reads 4 rows of 8 numbers
// and writes them into 32 different banks.
__device__ void load_turned(float* tile, const float* from, int rows, int width, int column0) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int i = 0; i < kTile * kChunk / kThreads; ++i) {
    const int unit = i * (kThreads / 32) + warp;
    const int column = unit % 4 * 8 + lane % 8, row = unit / 4 * 4 + lane / 8;
    tile[column * kRow + row] = row < rows && column0 + column < width ? from[row * width + column0 + column] : 0.0f;
  }
}

__device__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }

// Writes four neighbouring cells of a kept array; only `left` of them lie within the row.
__device__ void keep_four(float* to, std::int64_t at, int left, std::int64_t keys, const float* x) {
  if (!to) return;
  if (keys % 4 == 0) {
    if (left > 0) *reinterpret_cast<float4*>(to + at) = make_float4(x[0], x[1], x[2], x[3]);
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    if (j < left) to[at + j] = x[j];
  }
}

template <int Wide>  // d_v <= Wide, a multiple of 64
__global__ void __launch_bounds__(kThreads, Wide == 64 ? 2 : 1) attention_tiled(AttentionCall c, std::int64_t query_tiles) {
  constexpr int kColumns = Wide / 16;  // context columns per thread
  HL_DYNAMIC_SHARED(float, memory);
  const int padded = static_cast<int>(tiles_of(c.d_k, kChunk)) * kChunk;
  float* const q_tile = memory;                                          // [padded][kRow]
  float* const kv_tile = q_tile + padded * kRow;                         // keys [32][kRow] or values [32][Wide]
  float* const p_tile = kv_tile + kChunk * (Wide > kRow ? Wide : kRow);  // [64 keys][kRow]
  float* const states = p_tile + kTile * kRow;                           // [64] maxima, [64] inverse sums
  const int thread = static_cast<int>(threadIdx.x), tx = thread % 16, ty = thread / 16;
  const int d_k = static_cast<int>(c.d_k), d_v = static_cast<int>(c.d_v);
  const std::int64_t group = c.heads / c.kv_heads;

  for (std::int64_t tile = blockIdx.x; tile < c.batch * c.heads * query_tiles; tile += gridDim.x) {
    const std::int64_t query0 = tile % query_tiles * kTile, item = tile / query_tiles;
    const std::int64_t h = item % c.heads, b = item / c.heads;
    const float* k = c.k + (b * c.kv_heads + h / group) * c.keys * c.d_k;
    const float* v = c.v + (b * c.kv_heads + h / group) * c.keys * c.d_v;
    const std::int64_t row0 = item * c.queries + query0;  // index of the first query in [batch, heads, queries]
    const int rows = static_cast<int>(smaller(c.queries - query0, kTile));
    const std::int64_t mask_tile = mask_cell(c.mask_step, b, h, query0 + 4 * ty, 4 * tx);
    for (int c0 = 0; c0 < padded; c0 += kChunk) load_turned(q_tile + c0 * kRow, c.q + row0 * c.d_k, rows, d_k, c0);

    float sums[4][kColumns], m[4], total[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      m[i] = minus_infinity();
      total[i] = 0.0f;
#pragma unroll
      for (int j = 0; j < kColumns; ++j) sums[i][j] = 0.0f;
    }

    for (std::int64_t key0 = 0; key0 < c.keys; key0 += kTile) {
      const int keys_here = static_cast<int>(smaller(c.keys - key0, kTile));
      float s[4][4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) s[i][j] = 0.0f;
      }
      for (int c0 = 0; c0 < padded; c0 += kChunk) {
        __syncthreads();  // q_tile is complete; every thread has finished with the last tile's values and weights
        load_turned(kv_tile, k + key0 * c.d_k, keys_here, d_k, c0);
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < kChunk; ++i) {
          const float4 x = four(q_tile + (c0 + i) * kRow + 4 * ty), y = four(kv_tile + i * kRow + 4 * tx);
          const float rows4[4] = {x.x, x.y, x.z, x.w}, keys4[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
          for (int r = 0; r < 4; ++r) {
#pragma unroll
            for (int j = 0; j < 4; ++j) s[r][j] += rows4[r] * keys4[j];
          }
        }
      }

      const int keys_left = keys_here - 4 * tx;  // keys left, from this thread's first one
      const std::int64_t mask_at = mask_tile + key0 * c.mask_step[3];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const bool row_there = 4 * ty + i < rows;
        float scaled[4], x[4];
        float largest = minus_infinity();
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          scaled[j] = s[i][j] * c.scale;
          x[j] = minus_infinity();
          if (row_there && j < keys_left)
            x[j] = masked_score(scaled[j], c.keep, c.bias, mask_at + i * c.mask_step[2] + j * c.mask_step[3], c.fill);
          largest = fmaxf(largest, x[j]);
        }
        if (row_there) {
          const std::int64_t at = (row0 + 4 * ty + i) * c.keys + key0 + 4 * tx;
          keep_four(c.scores, at, keys_left, c.keys, s[i]);
          keep_four(c.scaled, at, keys_left, c.keys, scaled);
          keep_four(c.masked, at, keys_left, c.keys, x);
          keep_four(c.weights, at, keys_left, c.keys, x);
        }
        const float next = fmaxf(m[i], lanes_largest(largest, 16));
        const float correction = correction_of(m[i], next, c.inverse_temperature);
        float part = 0.0f;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          s[i][j] = row_there && j < keys_left ? weight_of(x[j], next, c.inverse_temperature) : 0.0f;
          part += s[i][j];
        }
        total[i] = total[i] * correction + lanes_sum(part, 16);
        m[i] = next;
#pragma unroll
        for (int j = 0; j < kColumns; ++j) sums[i][j] *= correction;
      }
#pragma unroll
      for (int j = 0; j < 4; ++j)
        *reinterpret_cast<float4*>(p_tile + (4 * tx + j) * kRow + 4 * ty) = make_float4(s[0][j], s[1][j], s[2][j], s[3][j]);

      const float* const values = v + key0 * c.d_v;
      for (int first = 0; first < kTile; first += kChunk) {
        __syncthreads();  // every thread has finished with the keys, or with the first half of the values
        for (int i = thread; i < kChunk * Wide; i += kThreads) {
          const int row = i / Wide, column = i % Wide;
          kv_tile[i] = first + row < keys_here && column < d_v ? values[(first + row) * d_v + column] : 0.0f;
        }
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < kChunk; ++i) {
          const float4 w = four(p_tile + (first + i) * kRow + 4 * ty);
          const float weights4[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
          for (int part = 0; part < Wide / 64; ++part) {
            const float4 y = four(kv_tile + i * Wide + 64 * part + 4 * tx);
            const float values4[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int r = 0; r < 4; ++r) {
#pragma unroll
              for (int j = 0; j < 4; ++j) sums[r][4 * part + j] += weights4[r] * values4[j];
            }
          }
        }
      }
    }

#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float inverse = inverse_of(total[i]);
      if (tx == 0) {
        states[4 * ty + i] = m[i];
        states[kTile + 4 * ty + i] = inverse;
      }
      if (query0 + 4 * ty + i >= c.queries) continue;
      float* const to = c.context + (row0 + 4 * ty + i) * c.d_v;
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
        const int column = j / 4 * 64 + 4 * tx + j % 4;
        if (column < c.d_v) to[column] = sums[i][j] * inverse;
      }
    }
    __syncthreads();  // states and masked scores of all threads are written
    if (c.weights) {
      for (int row = thread / 32; row < rows; row += kThreads / 32) {
        float* const weights = c.weights + (row0 + row) * c.keys;
        const float largest = states[row], inverse = states[kTile + row];
        for (std::int64_t key = thread % 32; key < c.keys; key += 32)
          weights[key] = weight_of(weights[key], largest, c.inverse_temperature) * inverse;
      }
    }
    __syncthreads();
  }
}

template <int Wide>
cudaError_t launch_wide(const AttentionCall& c, const Place& place, bool* fits) {
  const std::int64_t padded = tiles_of(c.d_k, kChunk) * kChunk;
  const std::size_t floats =
      static_cast<std::size_t>(padded * kRow + kChunk * (Wide > kRow ? Wide : kRow) + kTile * kRow + 2 * kTile);
  *fits = floats * sizeof(float) <= place.shared;
  if (!*fits) return cudaSuccess;
  const std::int64_t query_tiles = tiles_of(c.queries, kTile), blocks = c.batch * c.heads * query_tiles;
  return launch(attention_tiled<Wide>, dim3(static_cast<unsigned>(smaller(blocks, 1 << 30))), dim3(kThreads),
                floats * sizeof(float), place.stream, c, query_tiles);
}

}  // namespace

cudaError_t launch_attention_tiled(const AttentionCall& c, const Place& place, bool* fits) {
  *fits = c.d_k <= kWidest && c.d_v <= kWidest;
  if (!*fits) return cudaSuccess;
  return c.d_v <= 64 ? launch_wide<64>(c, place, fits) : launch_wide<128>(c, place, fits);
}

}  // namespace headlight::backends::cuda
