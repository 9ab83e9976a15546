// Attention in float32 that keeps its weights, with whole rows of scores in shared memory (the formula and shapes are those of
// attention_simple.cu; heads up to 64 wide, in steps of 16, and rows of scores that fit: about 1,500 keys on Hopper).
//
// A block takes 32 queries of one head. It works in three plain steps; no value is corrected later and every weight is written
// once:
//   scores  [32, keys] = q k^T      256 keys and 16 numbers of d_k at a time; a thread 4 rows x 8 keys
//   softmax of each row             a warp a row; the weights go to shared memory and to the output
//   context [32, d_v] = weights v   64 keys at a time; a thread 4 rows x 8 columns of every fourth four keys
// While a block multiplies one part of k or v, it already loads the next part into registers. A warp's lanes are arranged 4 x 8
// over the products (2 x 8 in the last step, on two sets of keys), so that what they read at once is one or two lines of shared
// memory.
//
// Bytes at 12 heads of 1,024 tokens, d 64: 50 MB of weights written once, and k and v read from the L2 cache by 384 blocks, 200
// MB. Shared memory at 1,024 keys: 32 x 1,028 scores, q and a part of k or v, 154 KiB: one block of 8 warps a multiprocessor.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kRows = 32, kThreads = 256;
constexpr int kKeys = 256, kDims = 16;                // k is read in parts of kKeys keys and kDims numbers
constexpr int kKeyRow = kKeys + 4;                    // floats from one dimension of a part to the next
constexpr int kValues = 64, kColumns = 64;            // v is read in parts of kValues keys and kColumns columns
constexpr int kQueryRow = kRows + 4;                  // floats from one dimension of the transposed q to the next
constexpr int kFours = kKeys * kDims / 4 / kThreads;  // groups of four floats that a thread loads of a part: 4
constexpr int kPart = kDims * kKeyRow;                // floats of a part; parts of k are larger than parts of v
static_assert(kValues * kColumns / 4 / kThreads == kFours && kValues * kColumns <= kPart);

__device__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }
__device__ void put_four(float* at, float4 x) { *reinterpret_cast<float4*>(at) = x; }
__device__ float4 no_four() { return make_float4(0.0f, 0.0f, 0.0f, 0.0f); }

// Loads part (key0, dim0) of k [keys, d_k] into registers, zeros beyond its end. A unit is four numbers of one key; neighbouring
// lanes load neighbouring keys.
__device__ void fetch_keys(float4* units, const float* k, std::int64_t keys, int d_k, std::int64_t key0, int dim0) {
#pragma unroll
  for (int n = 0; n < kFours; ++n) {
    const std::int64_t key = key0 + threadIdx.x;
    units[n] = key < keys ? four(k + key * d_k + dim0 + 4 * n) : no_four();
  }
}
__device__ void store_keys(float* part, const float4* units) {  // transposed: [dim][key]
#pragma unroll
  for (int n = 0; n < kFours; ++n) {
    float* const to = part + 4 * n * kKeyRow + threadIdx.x;
    to[0] = units[n].x;
    to[kKeyRow] = units[n].y;
    to[2 * kKeyRow] = units[n].z;
    to[3 * kKeyRow] = units[n].w;
  }
}
// Loads keys key0 .. key0 + 63 of v [keys, d_v] as [key][64].
__device__ void fetch_values(float4* units, const float* v, std::int64_t keys, int d_v, std::int64_t key0) {
#pragma unroll
  for (int n = 0; n < kFours; ++n) {
    const int unit = n * kThreads + static_cast<int>(threadIdx.x), column = unit % (kColumns / 4) * 4;
    const std::int64_t key = key0 + unit / (kColumns / 4);
    units[n] = key < keys && column < d_v ? four(v + key * d_v + column) : no_four();
  }
}
__device__ void store_values(float* part, const float4* units) {
#pragma unroll
  for (int n = 0; n < kFours; ++n) put_four(part + 4 * (n * kThreads + static_cast<int>(threadIdx.x)), units[n]);
}

__device__ void unpack(float* to, float4 x) {
  to[0] = x.x;
  to[1] = x.y;
  to[2] = x.z;
  to[3] = x.w;
}

struct Block {
  std::int64_t b, h, query0;
  std::int64_t row0;  // index of that query in [batch, heads, queries]
  int rows;           // rows that exist
};

// Fills scores[row][key] with the masked scores of all keys, -inf beyond the last key, and writes the scores that are kept to
// their outputs.
__device__ void make_scores(const AttentionCall& c, const Block& block, const float* k, const float* q_tile, float* part,
                            float* scores, int row_of_scores) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp / 4 * 16 + lane / 8 * 4;  // the thread's 4 rows begin here
  const int key = warp % 4 * 64 + lane % 8 * 4;  // its 8 keys of a part: 4 from here, 4 from 32 further on
  const int d_k = static_cast<int>(c.d_k);
  float4 units[kFours];
  fetch_keys(units, k, c.keys, d_k, 0, 0);
  for (std::int64_t key0 = 0; key0 < c.keys; key0 += kKeys) {
    float s[4][8];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
      for (int j = 0; j < 8; ++j) s[r][j] = 0.0f;
    }
    for (int dim0 = 0; dim0 < d_k; dim0 += kDims) {
      __syncthreads();  // every thread has finished with the last part, and q_tile is complete
      store_keys(part, units);
      __syncthreads();
      const bool is_last = dim0 + kDims == d_k;
      if (!is_last || key0 + kKeys < c.keys)
        fetch_keys(units, k, c.keys, d_k, is_last ? key0 + kKeys : key0, is_last ? 0 : dim0 + kDims);
#pragma unroll
      for (int i = 0; i < kDims; ++i) {
        float x[4], y[8];
        unpack(x, four(q_tile + (dim0 + i) * kQueryRow + row));
        unpack(y, four(part + i * kKeyRow + key));
        unpack(y + 4, four(part + i * kKeyRow + key + 32));
#pragma unroll
        for (int r = 0; r < 4; ++r) {
#pragma unroll
          for (int j = 0; j < 8; ++j) s[r][j] += x[r] * y[j];
        }
      }
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const bool row_there = row + r < block.rows;
      const std::int64_t at = (block.row0 + row + r) * c.keys;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const std::int64_t column = key0 + key + j / 4 * 32 + j % 4;
        float x = minus_infinity();
        if (row_there && column < c.keys) {
          x = s[r][j];
          if (c.scores) c.scores[at + column] = x;
          x *= c.scale;
          if (c.scaled) c.scaled[at + column] = x;
          x = masked_score(x, c.keep, c.bias, mask_cell(c.mask_step, block.b, block.h, block.query0 + row + r, column), c.fill);
          if (c.masked) c.masked[at + column] = x;
        }
        s[r][j] = x;
      }
      float* const to = scores + (row + r) * row_of_scores + key0 + key;
      put_four(to, make_float4(s[r][0], s[r][1], s[r][2], s[r][3]));
      put_four(to + 32, make_float4(s[r][4], s[r][5], s[r][6], s[r][7]));
    }
  }
}

// Turns a row of scores into weights, in shared memory and in the output.
__device__ void soften(float* scores, std::int64_t keys, int padded, float inverse_temperature, float* weights) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float m = minus_infinity();
  for (int key = 4 * lane; key < padded; key += 128) {
    const float4 x = four(scores + key);
    m = fmaxf(m, fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)));
  }
  m = lanes_largest(m);
  float total = 0.0f;
  for (int key = 4 * lane; key < padded; key += 128) {
    float4 x = four(scores + key);
    x.x = weight_of(x.x, m, inverse_temperature);  // 0 for keys beyond the last one, whose scores are -inf
    x.y = weight_of(x.y, m, inverse_temperature);
    x.z = weight_of(x.z, m, inverse_temperature);
    x.w = weight_of(x.w, m, inverse_temperature);
    total += (x.x + x.y) + (x.z + x.w);
    put_four(scores + key, x);
  }
  const float inverse = inverse_of(lanes_sum(total));
  for (int key = 4 * lane; key < padded; key += 128) {
    float4 x = four(scores + key);
    x = make_float4(x.x * inverse, x.y * inverse, x.z * inverse, x.w * inverse);
    put_four(scores + key, x);
    if (keys % 4 == 0) {
      if (key < keys) put_four(weights + key, x);
      continue;
    }
    float each[4];
    unpack(each, x);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (key + j < keys) weights[key + j] = each[j];
    }
  }
}

// context[row][column] = sum over keys of weights[row][key] v[key][column].
__device__ void weigh(const AttentionCall& c, const Block& block, const float* v, const float* weights, int row_of_weights,
                      float* part) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp % 4 * 8 + lane / 8 % 2 * 4;   // the thread's 4 rows begin here
  const int column = lane % 8 * 4;                   // its 8 columns: 4 from here, 4 from 32 further on
  const int slice = 4 * (warp / 4 * 2 + lane / 16);  // its keys of each 16: 4 from here
  const int d_v = static_cast<int>(c.d_v);
  float sums[4][8];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
#pragma unroll
    for (int j = 0; j < 8; ++j) sums[r][j] = 0.0f;
  }
  float4 units[kFours];
  fetch_values(units, v, c.keys, d_v, 0);
  for (std::int64_t key0 = 0; key0 < c.keys; key0 += kValues) {
    __syncthreads();  // every thread has finished with the last part, and all weights are written
    store_values(part, units);
    __syncthreads();
    if (key0 + kValues < c.keys) fetch_values(units, v, c.keys, d_v, key0 + kValues);
#pragma unroll
    for (int i = 0; i < kValues; i += 16) {
      float w[4][4];
#pragma unroll
      for (int r = 0; r < 4; ++r) unpack(w[r], four(weights + (row + r) * row_of_weights + key0 + i + slice));
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        float y[8];
        unpack(y, four(part + (i + slice + n) * kColumns + column));
        unpack(y + 4, four(part + (i + slice + n) * kColumns + column + 32));
#pragma unroll
        for (int r = 0; r < 4; ++r) {
#pragma unroll
          for (int j = 0; j < 8; ++j) sums[r][j] += w[r][n] * y[j];
        }
      }
    }
  }
  // Each sum is divided among four threads: two lanes of this warp and two of another.
#pragma unroll
  for (int r = 0; r < 4; ++r) {
#pragma unroll
    for (int j = 0; j < 8; ++j) sums[r][j] += __shfl_xor_sync(kAllLanes, sums[r][j], 16);
  }
  __syncthreads();  // every thread has finished with the last part; its memory now takes the other warps' sums
  if (warp >= 4 && lane < 16) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      put_four(part + (row + r) * kColumns + column, make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]));
      put_four(part + (row + r) * kColumns + column + 32, make_float4(sums[r][4], sums[r][5], sums[r][6], sums[r][7]));
    }
  }
  __syncthreads();
  if (warp < 4 && lane < 16) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      if (row + r >= block.rows) continue;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int at = column + 32 * half;
        if (at >= d_v) continue;
        const float4 other = four(part + (row + r) * kColumns + at);
        put_four(c.context + (block.row0 + row + r) * d_v + at,
                 make_float4(sums[r][4 * half] + other.x, sums[r][4 * half + 1] + other.y, sums[r][4 * half + 2] + other.z,
                             sums[r][4 * half + 3] + other.w));
      }
    }
  }
}

__global__ void __launch_bounds__(kThreads, 1) attention_rows(AttentionCall c, std::int64_t query_tiles, int padded) {
  HL_DYNAMIC_SHARED(float, memory);
  const int row_of_scores = padded + 4;
  float* const scores = memory;                        // [32][padded + 4]
  float* const part = scores + kRows * row_of_scores;  // a part of k or v
  float* const q_tile = part + kPart;                  // [d_k][36]
  const std::int64_t group = c.heads / c.kv_heads;
  for (std::int64_t tile = blockIdx.x; tile < c.batch * c.heads * query_tiles; tile += gridDim.x) {
    const std::int64_t item = tile / query_tiles;
    Block block;
    block.query0 = tile % query_tiles * kRows;
    block.h = item % c.heads;
    block.b = item / c.heads;
    block.row0 = item * c.queries + block.query0;
    block.rows = static_cast<int>(smaller(c.queries - block.query0, kRows));
    const std::int64_t kv_head = block.b * c.kv_heads + block.h / group;
    for (int i = static_cast<int>(threadIdx.x); i < kRows * static_cast<int>(c.d_k); i += kThreads) {
      const int row = i % kRows, dim = i / kRows;
      q_tile[dim * kQueryRow + row] = row < block.rows ? c.q[(block.row0 + row) * c.d_k + dim] : 0.0f;
    }
    make_scores(c, block, c.k + kv_head * c.keys * c.d_k, q_tile, part, scores, row_of_scores);
    __syncthreads();
    for (int row = static_cast<int>(threadIdx.x) / 32; row < block.rows; row += kThreads / 32)
      soften(scores + row * row_of_scores, c.keys, padded, c.inverse_temperature, c.weights + (block.row0 + row) * c.keys);
    weigh(c, block, c.v + kv_head * c.keys * c.d_v, scores, row_of_scores, part);
    __syncthreads();  // shared memory is free for the next queries
  }
}

bool aligned(const void* at) { return reinterpret_cast<std::uintptr_t>(at) % sizeof(float4) == 0; }

}  // namespace

cudaError_t launch_attention_rows(const AttentionCall& c, const Place& place, bool* fits) {
  // With fewer keys than one part has, most of a block would be idle.
  *fits = c.weights && c.keys >= kKeys && c.d_k % kDims == 0 && c.d_k <= 64 && c.d_v % 4 == 0 && c.d_v <= kColumns &&
          c.keys < (1 << 16) && aligned(c.k) && aligned(c.v) && aligned(c.weights) && aligned(c.context);
  if (!*fits) return cudaSuccess;
  const std::int64_t padded = tiles_of(c.keys, kKeys) * kKeys;
  const std::size_t bytes = static_cast<std::size_t>(kRows * (padded + 4) + kPart + c.d_k * kQueryRow) * sizeof(float);
  *fits = bytes <= place.shared;
  if (!*fits) return cudaSuccess;
  const std::int64_t query_tiles = tiles_of(c.queries, kRows), blocks = c.batch * c.heads * query_tiles;
  return launch(attention_rows, dim3(static_cast<unsigned>(smaller(blocks, 1 << 30))), dim3(kThreads), bytes, place.stream, c,
                query_tiles, static_cast<int>(padded));
}

}  // namespace headlight::backends::cuda
