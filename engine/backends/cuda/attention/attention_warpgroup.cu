// Attention that does not keep its maps, in bf16 on Hopper's warpgroup products (formula and shapes:
// attention_simple.cu; heads up to 64 wide, compute capability 9.0). Scores, sums and context are float32; q, k, v and weights
// are rounded once each.
//
// A first kernel rounds k and v into a workspace [2, batch, kv_heads, keys to a multiple of 64, 64], zeros outside. The float32
// arrays are so read once; every block then reads half the bytes, 16 at a time, by copies that need no registers. In the second
// kernel a block of two warpgroups takes 128 queries of a head, 64 per warpgroup, and steps through the keys, 64 at a time.
// Shared memory holds four tiles of keys and values: two are being copied, one is used for the scores, and one may still be read
// by the last tile's weighted sum. It also holds the queries for the whole pass (multiplied by scale, 1 / temperature and log2 e,
// so that a weight is a power of two): 81 KiB in all, two blocks a multiprocessor. Scores, weights and context stay in registers;
// the registers of the scores, rounded, become the operand of the second product.
//
// Why the queries are not in registers: ptxas 13.0 then gave both products the same registers for their first operand, and from
// the second tile on the scores were computed from the last tile's weights. tests/gpu/sass_check checks the machine code for
// this.
#include "engine/backends/cuda/runtime/cluster.h"
#include "engine/backends/cuda/runtime/cuda_kernels.h"
#include "engine/backends/cuda/runtime/warpgroup.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kTile = 64, kWidth = 64, kGroups = 2, kThreads = 128 * kGroups, kQueries = 64 * kGroups, kStages = 4;
constexpr int kTileBytes = kTile * kSwizzledRow, kTilesSize = 2 * kStages * kTileBytes, kQueriesSize = kQueries * kSwizzledRow;

HL_HD std::int64_t padded(std::int64_t keys) { return (keys + kTile - 1) / kTile * kTile; }

#if HL_TENSOR_CORES
// Eight numbers of a row from a column on, zeros beyond its width, or zeros alone where the row is not there. by_fours: every row
// begins at a multiple of 16 bytes, and its width is a multiple of four.
__device__ __forceinline__ void read_eight(float (&x)[8], const float* row, int column, int width, bool is_there, bool by_fours) {
  if (by_fours) {
#pragma unroll
    for (int half = 0; half < 8; half += 4) {
      const float4 four = is_there && column + half < width ? *reinterpret_cast<const float4*>(row + column + half)
                                                            : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      x[half] = four.x, x[half + 1] = four.y, x[half + 2] = four.z, x[half + 3] = four.w;
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) x[j] = is_there && column + j < width ? row[column + j] : 0.0f;
}
#endif

// rounded[line, key, 64] = k[line, key, d_k], then v[line, key, d_v], in bf16, zeros outside. A thread rounds 8 numbers of a row,
// a block 32 rows: block (32 rows of a line, 0: keys, 1: values).
__global__ void __launch_bounds__(256) round_keys_and_values(AttentionCall c, uint4* rounded, int blocks_of_line, bool by_fours) {
#if HL_TENSOR_CORES
#if HL_CLUSTERS
  let_next_launch_start();
#endif
  const std::int64_t line = blockIdx.x / blocks_of_line;
  const int row = static_cast<int>(blockIdx.x % blocks_of_line) * 32 + static_cast<int>(threadIdx.x) / 8;
  const bool is_value = blockIdx.y == 1;
  const int width = static_cast<int>(is_value ? c.d_v : c.d_k), keys = static_cast<int>(c.keys);
  float x[8];
  read_eight(x, (is_value ? c.v : c.k) + (line * keys + row) * width, static_cast<int>(threadIdx.x) % 8 * 8, width, row < keys,
             by_fours);
  rounded[(std::int64_t{blockIdx.y} * gridDim.x + blockIdx.x) * 256 + threadIdx.x] =
      make_uint4(bf16_pair(x[0], x[1]), bf16_pair(x[2], x[3]), bf16_pair(x[4], x[5]), bf16_pair(x[6], x[7]));
#endif
}

#if HL_WARPGROUPS
// Starts the copies of one tile of keys and one of values; a thread copies two chunks of each.
__device__ __forceinline__ void fetch(unsigned char* to, const unsigned char* k, const unsigned char* v) {
#pragma unroll
  for (int n = 0; n < kTile * 8 / kThreads; ++n) {
    const int i = n * kThreads + static_cast<int>(threadIdx.x), at = swizzled(i / 8, i % 8);
    copy_16_bytes(to + at, k + i * 16);
    copy_16_bytes(to + kTileBytes + at, v + i * 16);
  }
}

// Stores tile[128][64] = queries from query0 on of q [queries, d_k] times scale, rounded, zeros outside. A thread stores four
// chunks of 8 numbers.
__device__ __forceinline__ void store_queries(unsigned char* tile, const AttentionCall& c, const float* q, std::int64_t query0,
                                              bool by_fours) {
#pragma unroll
  for (int n = 0; n < kQueries * 8 / kThreads; ++n) {
    const int i = n * kThreads + static_cast<int>(threadIdx.x), column = i % 8 * 8;
    const std::int64_t row = query0 + i / 8;
    float x[8];
    read_eight(x, q + row * c.d_k, column, static_cast<int>(c.d_k), row < c.queries, by_fours);
#pragma unroll
    for (int j = 0; j < 8; ++j) x[j] *= c.scale;
    *reinterpret_cast<uint4*>(tile + swizzled(i / 8, i % 8)) =
        make_uint4(bf16_pair(x[0], x[1]), bf16_pair(x[2], x[3]), bf16_pair(x[4], x[5]), bf16_pair(x[6], x[7]));
  }
}

// The lane's two rows, first and first + 8, of head h of batch item b.
struct Rows {
  std::int64_t b, h, first;
};

// Masks the scores of one of the lane's rows, in place: of the 64 keys from key0 on, of which `keys_here` exist, counted from the
// lane's first one. Returns the lane's largest. Only the last tile may have fewer than 64.
template <bool Masked>
__device__ __forceinline__ float mask_scores(const AttentionCall& c, const Rows& rows, int half, std::int64_t key0, int keys_here,
                                             bool is_last, float unit, float (&s)[kTile / 8][4]) {
  float largest = minus_infinity();
  if (Masked) {
    const int t = static_cast<int>(threadIdx.x) % 4;
    const std::int64_t mask_at = mask_cell(c.mask_step, rows.b, rows.h, rows.first + 8 * half, key0 + 2 * t);
    const bool row_there = rows.first + 8 * half < c.queries;
#pragma unroll
    for (int n = 0; n < kTile / 8; ++n) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        float& x = s[n][2 * half + j];
        const int key = n * 8 + j;
        if (row_there && key < keys_here) {
          const std::int64_t cell = mask_at + key * c.mask_step[3];
          if (c.keep && !c.keep[cell]) {
            x = c.fill;
          } else if (c.bias) {
            x += c.bias[cell] * unit;
          }
        } else {
          x = minus_infinity();
        }
        largest = fmaxf(largest, x);
      }
    }
    return largest;
  }
  if (is_last) {
#pragma unroll
    for (int n = 0; n < kTile / 8; ++n) {
#pragma unroll
      for (int j = 0; j < 2; ++j)
        if (n * 8 + j >= keys_here) s[n][2 * half + j] = minus_infinity();
    }
  }
#pragma unroll
  for (int n = 0; n < kTile / 8; ++n) largest = fmaxf(largest, fmaxf(s[n][2 * half], s[n][2 * half + 1]));
  return largest;
}

// Turns the scores of one of the lane's rows into weights relative to the row's largest score so far. m and total, its maximum
// and the lane's part of its sum, go on; the context, made with the old maximum, is corrected.
__device__ __forceinline__ void weigh_row(int half, float largest, float& m, float& total, float (&s)[kTile / 8][4],
                                          float (&context)[kWidth / 8][4]) {
  const float next = fmaxf(m, lanes_largest(largest, 4));
  const float from = next == minus_infinity() ? 0.0f : next;  // only -inf was seen so far: every weight is 0
  const float correction = power_of_two(m - from);
  m = next;
  float part = 0.0f;
#pragma unroll
  for (int n = 0; n < kTile / 8; ++n) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float& x = s[n][2 * half + j];
      x = power_of_two(x - from);
      part += x;
    }
    context[n][2 * half] *= correction;
    context[n][2 * half + 1] *= correction;
  }
  total = total * correction + part;
}

// Starts the products of 64 queries and 64 keys, at these addresses of shared memory: s becomes their raw scores.
__device__ __forceinline__ void multiply_keys(std::uint32_t queries_at, std::uint32_t keys_at, float (&s)[kTile / 8][4]) {
  begin_products();
  multiply_warpgroup_first<false>(s, described(queries_at), described(keys_at));
#pragma unroll
  for (int step = 1; step < kWidth / 16; ++step)  // 16 numbers of a row: 32 bytes
    multiply_warpgroup<false>(s, described(queries_at + step * 32), described(keys_at + step * 32));
  end_products();
}

// Starts context += weights v, with the weights of 64 keys in s, rounded, and the keys' values at this address of shared memory.
__device__ __forceinline__ void multiply_values(std::uint32_t values_at, const float (&s)[kTile / 8][4],
                                                float (&context)[kWidth / 8][4]) {
  std::uint32_t weights[kTile / 16][4];
#pragma unroll
  for (int step = 0; step < kTile / 16; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) weights[step][i] = bf16_pair(s[2 * step + i / 2][i % 2 * 2], s[2 * step + i / 2][i % 2 * 2 + 1]);
  }
  hold<kWidth / 8>(context);
  begin_products();
#pragma unroll
  for (int step = 0; step < kTile / 16; ++step)  // 16 keys: two groups of rows
    multiply_warpgroup<true>(context, weights[step], described(values_at + step * 2 * kSwizzledGroup));
  end_products();
}

// Divides the context of the lane's rows by their sums and writes it; `item` is the number of the head in [batch, heads],
// and t the lane's number among the four that share its rows.
__device__ __forceinline__ void store_context(const AttentionCall& c, std::int64_t item, std::int64_t first, int t,
                                              const float (&total)[2], const float (&context)[kWidth / 8][4]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float inverse = inverse_of(lanes_sum(total[half], 4));
    const std::int64_t query = first + 8 * half;
    if (query >= c.queries) continue;
    float* const to = c.context + (item * c.queries + query) * c.d_v;
#pragma unroll
    for (int n = 0; n < kWidth / 8; ++n) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int column = n * 8 + 2 * t + j;
        if (column < c.d_v) to[column] = context[n][2 * half + j] * inverse;
      }
    }
  }
}
#endif

// Masked: keep or bias is given. In `c`, scale is already multiplied by 1 / temperature and log2 e, and so are fill and biases,
// by `unit`.
template <bool Masked>
__global__ void __launch_bounds__(kThreads, 2)
    attention_warpgroup(AttentionCall c, const unsigned char* rounded, float unit, bool by_fours) {
#if HL_WARPGROUPS
  HL_DYNAMIC_SHARED(unsigned char, memory);
  unsigned char* const tiles = memory + (kSwizzledGroup - shared_address(memory) % kSwizzledGroup) % kSwizzledGroup;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, g = lane / 4, t = lane % 4;
  const std::int64_t query_tiles = tiles_of(c.queries, kQueries), item = blockIdx.x / query_tiles;
  const std::int64_t h = item % c.heads, b = item / c.heads, line = b * c.kv_heads + h / (c.heads / c.kv_heads);
  const Rows rows{b, h, blockIdx.x % query_tiles * kQueries + thread / 32 * 16 + g};
  const std::int64_t bytes_of_line = padded(c.keys) * kSwizzledRow;
  const unsigned char* const k = rounded + line * bytes_of_line;
  const unsigned char* const v = k + c.batch * c.kv_heads * bytes_of_line;

  unsigned char* const queries = tiles + kTilesSize;
  store_queries(queries, c, c.q + item * c.queries * c.d_k, blockIdx.x % query_tiles * kQueries, by_fours);
  wait_for_last_launch();  // keys and values are rounded
  const int count = static_cast<int>(tiles_of(c.keys, kTile));
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if (i < count) fetch(tiles + i * 2 * kTileBytes, k + i * kTileBytes, v + i * kTileBytes);
    end_copies();
  }
  const std::uint32_t queries_at = shared_address(queries + thread / 128 * kTileBytes);  // this warpgroup's 64 queries

  float context[kWidth / 8][4], m[2] = {minus_infinity(), minus_infinity()}, total[2] = {0.0f, 0.0f};
#pragma unroll
  for (int n = 0; n < kWidth / 8; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) context[n][i] = 0.0f;
  }

  // This is no `for` loop: if the loop could be skipped, from the zeros above to the wait below it, ptxas would wait after every
  // single product.
  int tile = 0;
#pragma unroll 1
  do {
    wait_for_copies<1>();
    show_copies_to_products();
    // this tile (at first also the queries) has arrived, and every thread has finished with the tile before the last
    __syncthreads();
    if (tile + 2 < count)
      fetch(tiles + (tile + 2) % kStages * 2 * kTileBytes, k + (tile + 2) * std::int64_t{kTileBytes},
            v + (tile + 2) * std::int64_t{kTileBytes});
    end_copies();
    const std::uint32_t keys_at = shared_address(tiles + tile % kStages * 2 * kTileBytes), values_at = keys_at + kTileBytes;

    float s[kTile / 8][4];
    multiply_keys(queries_at, keys_at, s);
    wait_for_products();  // this waits for the last tile's weighted sum, too
    hold<kTile / 8>(s);
    hold<kWidth / 8>(context);

    // counted from the lane's first key
    const int keys_here = static_cast<int>(smaller(c.keys - tile * std::int64_t{kTile}, kTile)) - 2 * t;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float largest = mask_scores<Masked>(c, rows, half, tile * std::int64_t{kTile}, keys_here, tile + 1 == count, unit, s);
      weigh_row(half, largest, m[half], total[half], s, context);
    }

    multiply_values(values_at, s, context);
  } while (++tile < count);
  wait_for_products();
  hold<kWidth / 8>(context);

  store_context(c, item, rows.first, t, total, context);
#endif
}

bool does(const AttentionCall& c, const Place& place) {
#if defined(HEADLIGHT_CUDA_WARPGROUPS) || defined(HEADLIGHT_CUDA_EMULATION)
  const bool is_built = true;
#else
  const bool is_built = false;
#endif
  const bool keeps = c.weights || c.scores || c.scaled || c.masked;
  return is_built && place.code == 90 && c.precision == kBrainFloat16 && !keeps && c.d_k <= kWidth && c.d_v <= kWidth &&
         c.keys > 0 && c.keys < (std::int64_t{1} << 30) && c.batch * c.kv_heads * padded(c.keys) / 32 < (std::int64_t{1} << 31) &&
         c.batch * c.heads * tiles_of(c.queries, kQueries) < (std::int64_t{1} << 31);
}

}  // namespace

std::size_t workspace_of_attention(const AttentionCall& c, const Place& place) {
  if (!does(c, place)) return 0;
  return static_cast<std::size_t>(2 * c.batch * c.kv_heads * padded(c.keys) * kWidth) * sizeof(std::uint16_t);
}

cudaError_t launch_attention_warpgroup(const AttentionCall& call, const Place& place, bool* fits) {
  constexpr std::size_t bytes = kTilesSize + kQueriesSize + kSwizzledGroup;
  *fits = call.workspace && does(call, place) && bytes <= place.shared;
  if (!*fits) return cudaSuccess;
  AttentionCall c = call;
  const auto aligned = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % sizeof(float4) == 0; };
  const bool by_fours = c.d_k % 4 == 0 && c.d_v % 4 == 0 && aligned(c.q) && aligned(c.k) && aligned(c.v);
  const std::int64_t blocks_of_line = padded(c.keys) / 32;
  const cudaError_t status =
      launch(round_keys_and_values, dim3(static_cast<unsigned>(c.batch * c.kv_heads * blocks_of_line), 2), dim3(256), 0,
             place.stream, c, static_cast<uint4*>(c.workspace), static_cast<int>(blocks_of_line), by_fours);
  if (status != cudaSuccess) return status;
  const float unit = c.inverse_temperature * 1.44269504f;  // log2 e
  c.scale *= unit;
  c.fill *= unit;
  Shape shape{};
  shape.grid = dim3(static_cast<unsigned>(c.batch * c.heads * tiles_of(c.queries, kQueries)));
  shape.block = dim3(kThreads);
  shape.shared = bytes;
  shape.overlaps = place.overlaps;
  return launch(c.keep || c.bias ? attention_warpgroup<true> : attention_warpgroup<false>, shape, place.stream, c,
                static_cast<const unsigned char*>(c.workspace), unit, by_fours);
}

}  // namespace headlight::backends::cuda
