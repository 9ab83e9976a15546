// Attention with its two products on the tensor cores, in bf16 or tf32 (formula and shapes: attention_simple.cu; heads up to 128
// wide, compute capability 8.0 and later). Softmax, sums and context are float32; q, k, v and weights are rounded once each.
//
// A block of four warps takes 64 queries of one head, 16 per warp, and steps through the keys, 64 at a time (32 in tf32, 128). A
// warp keeps its queries, scores, weights and context in registers: the accumulator of the scores becomes, register by register,
// the operand of the second product. Only keys and values pass through shared memory, already rounded.
//   lane 4 g + t: rows g and g + 8 of the warp's 16; of each tile of 8 keys (or 8 columns) the ones numbered 2 t and 2 t + 1
//
// Kept weights are written once and never read: a first pass over the keys finds each row's maximum and sum, a second pass
// computes the same scores again. This takes half as many products again, at 12 heads of 1,024 tokens 4.8 instead of 3.2 GFLOP, 8
// us at the rate mma.sync reaches on Hopper. Storing the 50 MB of masked scores and reading them again would instead cost 100 MB
// of traffic.
#include "engine/backends/cuda/runtime/cuda_kernels.h"
#include "engine/backends/cuda/runtime/tensor_core.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kTile = 64, kThreads = 128;

// Keys per tile. In tf32, queries and context of 128 columns take half the registers, so a tile has fewer scores there.
HL_HD constexpr int keys_at_once(bool bf16, int d) { return !bf16 && d == 128 ? 32 : 64; }

#if HL_TENSOR_CORES
constexpr int kWarps = kThreads / 32;

__device__ float at_or_zero(const float* from, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t width) {
  return row < rows && column < width ? from[row * width + column] : 0.0f;
}

// The layout of a tile of keys and values in shared memory, in 32-bit words.
template <bool Bf16, int D>
struct Layout {
  static constexpr int kKeys = keys_at_once(Bf16, D);
  static constexpr int kStep = Bf16 ? 16 : 8;  // numbers of `inner` that one product takes
  static constexpr int kSteps = D / kStep;
  static constexpr int kKeyWords = Bf16 ? D / 2 : D;  // words of a key's row
  // 4 words of padding: the eight rows a warp reads at once lie in different banks
  static constexpr int kKeyRow = kKeyWords + 4;
  static constexpr int kValueRow = Bf16 ? kKeys / 2 + 4 : D + 4;  // bf16: values transposed, [D][pairs of keys]; tf32: [key][D]
};

// Whether four numbers of a row can be loaded at once: every row must begin at a multiple of 16 bytes.
__device__ bool by_fours(const float* from, std::int64_t width) {
  return width % 4 == 0 && reinterpret_cast<std::uintptr_t>(from) % sizeof(float4) == 0;
}
__device__ float4 four_or_zero(const float* from, std::int64_t row, std::int64_t rows, int column, std::int64_t width) {
  if (row < rows && column < width) return *reinterpret_cast<const float4*>(from + row * width + column);
  return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

// Loads tile[keys][kRow] = rows from row0 on of from [rows, width], rounded, zeros outside. Used for keys, and for values in
// tf32.
template <bool Bf16, int D, int kRow>
__device__ void load_rows(std::uint32_t* tile, const float* from, std::int64_t row0, std::int64_t rows, std::int64_t width) {
  constexpr int kKeys = keys_at_once(Bf16, D);
  if (by_fours(from, width)) {
#pragma unroll(Bf16 ? 4 : 2)  // bf16 leaves more registers free for loads in flight
    for (int n = 0; n < kKeys * D / 4 / kThreads; ++n) {
      const int i = n * kThreads + static_cast<int>(threadIdx.x);
      const int row = i / (D / 4), column = i % (D / 4) * 4;
      const float4 x = four_or_zero(from, row0 + row, rows, column, width);
      std::uint32_t* const to = tile + row * kRow + column / (Bf16 ? 2 : 1);
      if (Bf16) {
        *reinterpret_cast<uint2*>(to) = make_uint2(bf16_pair(x.x, x.y), bf16_pair(x.z, x.w));
      } else {
        *reinterpret_cast<uint4*>(to) = make_uint4(tf32(x.x), tf32(x.y), tf32(x.z), tf32(x.w));
      }
    }
    return;
  }
  constexpr int kWords = Bf16 ? D / 2 : D;
#pragma unroll 1
  for (int n = 0; n < kKeys * kWords / kThreads; ++n) {
    const int i = n * kThreads + static_cast<int>(threadIdx.x);
    const int row = i / kWords, column = i % kWords * (Bf16 ? 2 : 1);
    const float x = at_or_zero(from, row0 + row, rows, column, width);
    tile[row * kRow + i % kWords] = Bf16 ? bf16_pair(x, at_or_zero(from, row0 + row, rows, column + 1, width)) : tf32(x);
  }
}

// Loads tile[D][kRow] = the values of 64 keys transposed, two keys per word.
template <int D, int kRow>
__device__ void load_values_turned(std::uint32_t* tile, const float* v, std::int64_t key0, std::int64_t keys,
                                   std::int64_t width) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  if (by_fours(v, width)) {
#pragma unroll 2
    for (int n = 0; n < D / 8 * 2 / kWarps; ++n) {  // a warp stores 8 columns, 16 pairs of keys, in 32 banks
      const int unit = n * kWarps + warp;
      const int column = unit / 2 * 8 + lane % 2 * 4, pair = unit % 2 * 16 + lane / 2;
      const float4 x = four_or_zero(v, key0 + 2 * pair, keys, column, width);
      const float4 y = four_or_zero(v, key0 + 2 * pair + 1, keys, column, width);
      std::uint32_t* const to = tile + column * kRow + pair;
      to[0] = bf16_pair(x.x, y.x);
      to[kRow] = bf16_pair(x.y, y.y);
      to[2 * kRow] = bf16_pair(x.z, y.z);
      to[3 * kRow] = bf16_pair(x.w, y.w);
    }
    return;
  }
#pragma unroll 1
  for (int n = 0; n < D / 8 * (kTile / 8) / kWarps; ++n) {  // a warp stores 8 columns, 4 pairs of keys
    const int unit = n * kWarps + warp;
    const int column = unit % (D / 8) * 8 + lane % 8, pair = unit / (D / 8) * 4 + lane / 8;
    tile[column * kRow + pair] =
        bf16_pair(at_or_zero(v, key0 + 2 * pair, keys, column, width), at_or_zero(v, key0 + 2 * pair + 1, keys, column, width));
  }
}

// s = raw scores of the warp's 16 queries and the tile's 64 keys.
template <bool Bf16, int D>
__device__ void multiply_keys(float (*s)[4], const std::uint32_t (*queries)[4], const std::uint32_t* key_tile) {
  using L = Layout<Bf16, D>;
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int n = 0; n < L::kKeys / 8; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) s[n][i] = 0.0f;
#pragma unroll
    for (int step = 0; step < L::kSteps; ++step) {
      const std::uint32_t* const row = key_tile + (n * 8 + g) * L::kKeyRow;
      const std::uint32_t keys[2] = {row[step * 8 + t], row[step * 8 + t + 4]};  // the same words in both precisions
      if (Bf16) {
        mma_bf16(s[n], queries[step], keys);
      } else {
        mma_tf32(s[n], queries[step], keys);
      }
    }
  }
}

// context += weights v, the weights of 16 queries and 64 keys in the registers where their scores were.
template <bool Bf16, int D>
__device__ void multiply_values(float (*context)[4], const float (*s)[4], const std::uint32_t* value_tile) {
  using L = Layout<Bf16, D>;
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  if (Bf16) {
#pragma unroll
    for (int step = 0; step < L::kKeys / 16; ++step) {
      const std::uint32_t weights[4] = {bf16_pair(s[2 * step][0], s[2 * step][1]), bf16_pair(s[2 * step][2], s[2 * step][3]),
                                        bf16_pair(s[2 * step + 1][0], s[2 * step + 1][1]),
                                        bf16_pair(s[2 * step + 1][2], s[2 * step + 1][3])};
#pragma unroll
      for (int n = 0; n < D / 8; ++n) {
        const std::uint32_t* const column = value_tile + (n * 8 + g) * L::kValueRow + step * 8 + t;
        const std::uint32_t values[2] = {column[0], column[4]};
        mma_bf16(context[n], weights, values);
      }
    }
  } else {
#pragma unroll
    for (int step = 0; step < L::kKeys / 8; ++step) {
      // The order of keys within a product does not matter, so slot t takes key 2 t and slot t + 4 key 2 t + 1: their scores are
      // already in these registers.
      const std::uint32_t weights[4] = {tf32(s[step][0]), tf32(s[step][2]), tf32(s[step][1]), tf32(s[step][3])};
#pragma unroll
      for (int n = 0; n < D / 8; ++n) {
        const std::uint32_t* const rows = value_tile + (step * 8 + 2 * t) * L::kValueRow + n * 8 + g;
        const std::uint32_t values[2] = {rows[0], rows[L::kValueRow]};
        mma_tf32(context[n], weights, values);
      }
    }
  }
}

// The part of the problem that a lane works on: its head's keys and values, and its first row.
struct Head {
  const float *k, *v;
  std::int64_t first;     // the lane's first query; its other row is 8 further on
  std::int64_t row;       // index of that query in [batch, heads, queries]
  std::int64_t mask_row;  // cell of the mask, at the lane's first key of a tile
};

// One of the lane's two rows within a tile of keys.
struct TileRow {
  bool is_there;
  std::int64_t at;       // its first cell of the tile in [batch, heads, queries, keys]
  std::int64_t mask_at;  // the same cell in the mask
  int keys;              // keys left, counted from that cell
};

// Scales and masks a row's raw scores, in place; keys and rows that do not exist get -inf. Returns the lane's largest. Keeps: the
// scores that are outputs are written.
template <int Keys, bool Keeps>
__device__ __forceinline__ float mask_scores(const AttentionCall& c, const TileRow& row, int half, float (*s)[4]) {
  float largest = minus_infinity();
#pragma unroll
  for (int n = 0; n < Keys / 8; ++n) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float& x = s[n][2 * half + j];
      const int key = n * 8 + j;
      if (row.is_there && key < row.keys) {
        if (Keeps && c.scores) c.scores[row.at + key] = x;
        x *= c.scale;
        if (Keeps && c.scaled) c.scaled[row.at + key] = x;
        x = masked_score(x, c.keep, c.bias, row.mask_at + key * c.mask_step[3], c.fill);
        if (Keeps && c.masked) c.masked[row.at + key] = x;
      } else {
        x = minus_infinity();
      }
      largest = fmaxf(largest, x);
    }
  }
  return largest;
}

// Turns a row's scores into its final weights, m its maximum and `inverse` the inverse of its sum, and writes them.
template <int Keys>
__device__ __forceinline__ void store_weights(const AttentionCall& c, const TileRow& row, int half, float m, float inverse,
                                              float (*s)[4]) {
#pragma unroll
  for (int n = 0; n < Keys / 8; ++n) {
    float* const pair = &s[n][2 * half];
    const int key = n * 8;
#pragma unroll
    for (int j = 0; j < 2; ++j) pair[j] = weight_of(pair[j], m, c.inverse_temperature) * inverse;
    if (!row.is_there) continue;
    if (c.keys % 2 == 0) {  // the row begins at a multiple of 8 bytes, and no pair is cut in half
      if (key < row.keys) *reinterpret_cast<float2*>(c.weights + row.at + key) = make_float2(pair[0], pair[1]);
    } else {
      if (key < row.keys) c.weights[row.at + key] = pair[0];
      if (key + 1 < row.keys) c.weights[row.at + key + 1] = pair[1];
    }
  }
}

// One pass over all keys. Sums: finds the maximum and sum of each row. Weighs: adds the weighted values to the context. If the
// sums are already known, `total` holds their inverse, the weights are final, and they are written to their output.
template <bool Bf16, int D, bool Sums, bool Weighs>
__device__ __forceinline__ void walk(const AttentionCall& c, const Head& head, std::uint32_t* memory,
                                     const std::uint32_t (*queries)[4], float* m, float* total, float (*context)[4]) {
  using L = Layout<Bf16, D>;
  std::uint32_t* const key_tile = memory;                              // [keys][kKeyRow]
  std::uint32_t* const value_tile = key_tile + L::kKeys * L::kKeyRow;  // [D or keys][kValueRow]
  const int t = static_cast<int>(threadIdx.x) % 4;
#pragma unroll 1
  for (std::int64_t key0 = 0; key0 < c.keys; key0 += L::kKeys) {
    __syncthreads();  // every thread has finished with the last tile
    load_rows<Bf16, D, L::kKeyRow>(key_tile, head.k, key0, c.keys, c.d_k);
    if (Weighs && Bf16) load_values_turned<D, L::kValueRow>(value_tile, head.v, key0, c.keys, c.d_v);
    if (Weighs && !Bf16) load_rows<Bf16, D, L::kValueRow>(value_tile, head.v, key0, c.keys, c.d_v);
    __syncthreads();
    float s[L::kKeys / 8][4];
    multiply_keys<Bf16, D>(s, queries, key_tile);

#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const TileRow row{head.first + 8 * half < c.queries, (head.row + 8 * half) * c.keys + key0 + 2 * t,
                        head.mask_row + half * 8 * c.mask_step[2] + key0 * c.mask_step[3],
                        static_cast<int>(smaller(c.keys - key0, L::kKeys)) - 2 * t};
      const float largest = mask_scores<L::kKeys, Sums>(c, row, half, s);
      if (!Sums) {
        store_weights<L::kKeys>(c, row, half, m[half], total[half], s);
        continue;
      }
      const float next = fmaxf(m[half], lanes_largest(largest, 4));
      const float correction = correction_of(m[half], next, c.inverse_temperature);
      float part = 0.0f;
#pragma unroll
      for (int n = 0; n < L::kKeys / 8; ++n) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          float& x = s[n][2 * half + j];
          x = weight_of(x, next, c.inverse_temperature);  // 0 for keys beyond the last one, whose scores are -inf
          part += x;
        }
      }
      total[half] = total[half] * correction + lanes_sum(part, 4);
      m[half] = next;
      if (Weighs) {
#pragma unroll
        for (int n = 0; n < D / 8; ++n) {
          context[n][2 * half] *= correction;
          context[n][2 * half + 1] *= correction;
        }
      }
    }
    if (Weighs) multiply_values<Bf16, D>(context, s, value_tile);
  }
}
#endif

// D: 64 or 128, at least d_k and d_v; columns beyond d_k and d_v are zero. Maps: the weights are kept.
template <bool Bf16, int D, bool Maps>
__global__ void __launch_bounds__(kThreads, Bf16&& D == 64 ? 3 : 2) attention_tensor(AttentionCall c, std::int64_t query_tiles) {
#if HL_TENSOR_CORES
  using L = Layout<Bf16, D>;
  HL_DYNAMIC_SHARED(std::uint32_t, memory);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32, g = lane / 4, t = lane % 4;
  const std::int64_t group = c.heads / c.kv_heads;

  for (std::int64_t tile = blockIdx.x; tile < c.batch * c.heads * query_tiles; tile += gridDim.x) {
    const std::int64_t query0 = tile % query_tiles * kTile, item = tile / query_tiles;
    const std::int64_t h = item % c.heads, b = item / c.heads;
    const float* q = c.q + item * c.queries * c.d_k;
    const std::int64_t first = query0 + 16 * warp + g;  // this lane's rows: first, first + 8
    Head head;
    head.k = c.k + (b * c.kv_heads + h / group) * c.keys * c.d_k;
    head.v = c.v + (b * c.kv_heads + h / group) * c.keys * c.d_v;
    head.first = first;
    head.row = item * c.queries + first;
    head.mask_row = mask_cell(c.mask_step, b, h, first, 2 * t);

    std::uint32_t queries[L::kSteps][4];
#pragma unroll
    for (int s = 0; s < L::kSteps; ++s) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::int64_t row = first + i % 2 * 8;
        const int column = Bf16 ? s * 16 + 2 * t + i / 2 * 8 : s * 8 + t + i / 2 * 4;
        const float x = at_or_zero(q, row, c.queries, column, c.d_k);
        queries[s][i] = Bf16 ? bf16_pair(x, at_or_zero(q, row, c.queries, column + 1, c.d_k)) : tf32(x);
      }
    }

    float context[D / 8][4], m[2] = {minus_infinity(), minus_infinity()}, total[2] = {0.0f, 0.0f};
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) context[n][i] = 0.0f;
    }

    if (Maps) {
      walk<Bf16, D, true, false>(c, head, memory, queries, m, total, context);
#pragma unroll
      for (int half = 0; half < 2; ++half) total[half] = inverse_of(total[half]);
      walk<Bf16, D, false, true>(c, head, memory, queries, m, total, context);
    } else {
      walk<Bf16, D, true, true>(c, head, memory, queries, m, total, context);
    }

#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float inverse = Maps ? 1.0f : inverse_of(total[half]);
      const std::int64_t query = first + 8 * half;
      if (query >= c.queries) continue;
      float* const to = c.context + (item * c.queries + query) * c.d_v;
#pragma unroll
      for (int n = 0; n < D / 8; ++n) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          const int column = n * 8 + 2 * t + j;
          if (column < c.d_v) to[column] = context[n][2 * half + j] * inverse;
        }
      }
    }
  }
#endif
}

template <bool Bf16, int D>
cudaError_t launch_as(const AttentionCall& c, const Place& place, bool* fits) {
  constexpr int keys = keys_at_once(Bf16, D);
  constexpr std::size_t words = Bf16 ? keys * (D / 2 + 4) + D * (keys / 2 + 4) : 2 * keys * (D + 4);
  constexpr std::size_t bytes = words * sizeof(std::uint32_t);
  *fits = bytes <= place.shared;
  if (!*fits) return cudaSuccess;
  const std::int64_t query_tiles = tiles_of(c.queries, kTile), blocks = c.batch * c.heads * query_tiles;
  return launch(c.weights ? attention_tensor<Bf16, D, true> : attention_tensor<Bf16, D, false>,
                dim3(static_cast<unsigned>(smaller(blocks, 1 << 30))), dim3(kThreads), bytes, place.stream, c, query_tiles);
}

}  // namespace

cudaError_t launch_attention_tensor(const AttentionCall& c, const Place& place, bool* fits) {
  *fits = place.code >= 80 && c.d_k <= 128 && c.d_v <= 128;
  if (!*fits) return cudaSuccess;
  const bool narrow = c.d_k <= 64 && c.d_v <= 64;
  if (c.precision == kBrainFloat16) return narrow ? launch_as<true, 64>(c, place, fits) : launch_as<true, 128>(c, place, fits);
  return narrow ? launch_as<false, 64>(c, place, fits) : launch_as<false, 128>(c, place, fits);
}

}  // namespace headlight::backends::cuda
