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
__device__ void keep_four(float* to, std::int64_t at, int left, std::int64_t keys, const float* cells) {
  if (!to) return;
  if (keys % 4 == 0) {
    if (left > 0) *reinterpret_cast<float4*>(to + at) = make_float4(cells[0], cells[1], cells[2], cells[3]);
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    if (j < left) to[at + j] = cells[j];
  }
}

// The block's tile of queries, and the thread's part of it.
struct Part {
  int tx, ty;              // of 16 x 16
  int rows;                // queries of the tile
  std::int64_t query0;     // the first one
  std::int64_t row0;       // index of the first one in [batch, heads, queries]
  std::int64_t mask_tile;  // cell of the mask: the thread's first query, its first key of the first tile
};

// s = the thread's 4 x 4 raw scores of the tile of queries and the tile of `keys` that begins at k [keys, d_k]. `padded`: d_k
// rounded up to chunks.
__device__ __forceinline__ void multiply_keys(const float* q_tile, float* key_tile, const float* k, int keys, int d_k, int padded,
                                              const Part& at, float (&s)[4][4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) s[i][j] = 0.0f;
  }
  for (int c0 = 0; c0 < padded; c0 += kChunk) {
    __syncthreads();  // q_tile is complete; every thread has finished with the last tile's values and weights
    load_turned(key_tile, k, keys, d_k, c0);
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < kChunk; ++i) {
      const float4 x = four(q_tile + (c0 + i) * kRow + 4 * at.ty), y = four(key_tile + i * kRow + 4 * at.tx);
      const float rows4[4] = {x.x, x.y, x.z, x.w}, keys4[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int j = 0; j < 4; ++j) s[r][j] += rows4[r] * keys4[j];
      }
    }
  }
}

// Row i of the thread's scores, scaled and masked, becomes weights relative to the row's largest score so far: m and total, its
// maximum and sum, go on, and the context, made with the old maximum, is corrected. What is kept is written.
template <int Columns>
__device__ __forceinline__ void weigh_row(const AttentionCall& c, const Part& at, int i, std::int64_t key0, int keys_here,
                                          float (&s)[4], float& m, float& total, float (&sums)[Columns]) {
  const int keys_left = keys_here - 4 * at.tx;  // keys left, from this thread's first one
  const std::int64_t mask_at = at.mask_tile + key0 * c.mask_step[3];
  const bool row_there = 4 * at.ty + i < at.rows;
  float scaled[4], x[4];
  float largest = minus_infinity();
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    scaled[j] = s[j] * c.scale;
    x[j] = minus_infinity();
    if (row_there && j < keys_left)
      x[j] = masked_score(scaled[j], c.keep, c.bias, mask_at + i * c.mask_step[2] + j * c.mask_step[3], c.fill);
    largest = fmaxf(largest, x[j]);
  }
  if (row_there) {
    const std::int64_t cell = (at.row0 + 4 * at.ty + i) * c.keys + key0 + 4 * at.tx;
    keep_four(c.scores, cell, keys_left, c.keys, s);
    keep_four(c.scaled, cell, keys_left, c.keys, scaled);
    keep_four(c.masked, cell, keys_left, c.keys, x);
    keep_four(c.weights, cell, keys_left, c.keys, x);
  }
  const float next = fmaxf(m, lanes_largest(largest, 16));
  const float correction = correction_of(m, next, c.inverse_temperature);
  float part = 0.0f;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    s[j] = row_there && j < keys_left ? weight_of(x[j], next, c.inverse_temperature) : 0.0f;
    part += s[j];
  }
  total = total * correction + lanes_sum(part, 16);
  m = next;
#pragma unroll
  for (int j = 0; j < Columns; ++j) sums[j] *= correction;
}

// sums += the tile's weights, p_tile [64 keys][kRow], times its values [keys_here, d_v].
template <int Wide>
__device__ __forceinline__ void multiply_values(const float* p_tile, float* value_tile, const float* values, int keys_here,
                                                int d_v, const Part& at, float (&sums)[4][Wide / 16]) {
  for (int first = 0; first < kTile; first += kChunk) {
    __syncthreads();  // every thread has finished with the keys, or with the first half of the values
    for (int i = static_cast<int>(threadIdx.x); i < kChunk * Wide; i += kThreads) {
      const int row = i / Wide, column = i % Wide;
      value_tile[i] = first + row < keys_here && column < d_v ? values[(first + row) * d_v + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll 4
    for (int i = 0; i < kChunk; ++i) {
      const float4 w = four(p_tile + (first + i) * kRow + 4 * at.ty);
      const float weights4[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
      for (int part = 0; part < Wide / 64; ++part) {
        const float4 y = four(value_tile + i * Wide + 64 * part + 4 * at.tx);
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

// Divides the context by the rows' sums and writes it. Then turns the masked scores in c.weights, if those are kept, into
// weights; `states` passes the rows' maxima and inverse sums from thread to thread.
template <int Wide>
__device__ __forceinline__ void finish_rows(const AttentionCall& c, const Part& at, const float (&m)[4], const float (&total)[4],
                                            const float (&sums)[4][Wide / 16], float* states) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float inverse = inverse_of(total[i]);
    if (at.tx == 0) {
      states[4 * at.ty + i] = m[i];
      states[kTile + 4 * at.ty + i] = inverse;
    }
    if (at.query0 + 4 * at.ty + i >= c.queries) continue;
    float* const to = c.context + (at.row0 + 4 * at.ty + i) * c.d_v;
#pragma unroll
    for (int j = 0; j < Wide / 16; ++j) {
      const int column = j / 4 * 64 + 4 * at.tx + j % 4;
      if (column < c.d_v) to[column] = sums[i][j] * inverse;
    }
  }
  __syncthreads();  // states and masked scores of all threads are written
  if (c.weights) {
    const int thread = static_cast<int>(threadIdx.x);
    for (int row = thread / 32; row < at.rows; row += kThreads / 32) {
      float* const weights = c.weights + (at.row0 + row) * c.keys;
      const float largest = states[row], inverse = states[kTile + row];
      for (std::int64_t key = thread % 32; key < c.keys; key += 32)
        weights[key] = weight_of(weights[key], largest, c.inverse_temperature) * inverse;
    }
  }
  __syncthreads();
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
    const Part at{tx,
                  ty,
                  static_cast<int>(smaller(c.queries - query0, kTile)),
                  query0,
                  item * c.queries + query0,
                  mask_cell(c.mask_step, b, h, query0 + 4 * ty, 4 * tx)};
    for (int c0 = 0; c0 < padded; c0 += kChunk) load_turned(q_tile + c0 * kRow, c.q + at.row0 * c.d_k, at.rows, d_k, c0);

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
      multiply_keys(q_tile, kv_tile, k + key0 * c.d_k, keys_here, d_k, padded, at, s);
#pragma unroll
      for (int i = 0; i < 4; ++i) weigh_row<kColumns>(c, at, i, key0, keys_here, s[i], m[i], total[i], sums[i]);
#pragma unroll
      for (int j = 0; j < 4; ++j)
        *reinterpret_cast<float4*>(p_tile + (4 * tx + j) * kRow + 4 * ty) = make_float4(s[0][j], s[1][j], s[2][j], s[3][j]);
      multiply_values<Wide>(p_tile, kv_tile, v + key0 * c.d_v, keys_here, d_v, at, sums);
    }
    finish_rows<Wide>(c, at, m, total, sums, states);
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
