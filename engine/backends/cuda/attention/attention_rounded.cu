// Attention in bf16 or tf32 on the tensor cores (mma.sync), with or without its maps (formula and shapes: attention_simple.cu;
// heads up to 64 wide, code for compute 8.0 and later). q, k, v and weights are rounded once each; scores, sums and context are
// float32.
//
// A first launch rounds k and v into a workspace, in tiles of 64 keys: keys row by row, values turned, so that a row holds one
// column of 64 keys. In the second launch a block takes 16 queries for each of its groups of two warps. The two warps divide
// every tile's keys between them: each adds up its own maxima, sums and context, which are combined at the end. While one tile is
// multiplied, the next one is copied.
//
// The order of inner numbers within a product does not matter, and neither does the order of keys. Both are chosen so that a lane
// reads all it needs of a row in pieces of 16 bytes, and so that its scores of four neighbouring keys lie in four registers,
// which are written as one. With g = lane / 4 and t = lane % 4:
//   inner numbers: products 2 c and 2 c + 1 take words 16 c + 4 t .. + 3 of a row (a word is one number in tf32, two in bf16)
//   keys: column 2 t + e of the scores' tile 2 j + h is key 16 j + 4 t + 2 h + e of the warp's 32
//
// Kept weights are written once and never read: a first pass over the keys finds each row's maximum and sum, a second pass
// computes the same scores again. At 12 heads of 1,024 tokens these are 4.8 instead of 3.2 GFLOP, besides 50 MB to write.
#include "engine/backends/cuda/runtime/cluster.h"
#include "engine/backends/cuda/runtime/cuda_kernels.h"
#include "engine/backends/cuda/runtime/tensor_core.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kTile = 64, kWidth = 64;  // keys of a tile, numbers of a row

template <bool Bf16>
struct Layout {
  static constexpr int kWords = Bf16 ? kWidth / 2 : kWidth;  // of a row of a tile
  static constexpr int kPitch = kWords + 16;                 // of a row in shared memory: neighbours begin 16 banks apart
  static constexpr int kStored = kTile * kWords;             // words of a tile in the workspace
  static constexpr int kPart = kTile * kPitch;               // words of a tile in shared memory
  static constexpr int kStages = 2;                          // tiles in shared memory
  static constexpr int kMemory = kStages * 2 * kPart;
};

#if HL_TENSOR_CORES

constexpr int kHalf = kTile / 2;  // keys of a warp
template <bool Bf16>
constexpr int kPieces = Layout<Bf16>::kWords / 16;  // of 16 bytes, that a lane reads of a row

__device__ __forceinline__ uint4 four_words(const std::uint32_t* at) { return *reinterpret_cast<const uint4*>(at); }

// The number at [row, column] of from [rows, width], zero outside.
__device__ __forceinline__ float at_or_zero(const float* from, std::int64_t row, std::int64_t rows, std::int64_t column,
                                            std::int64_t width) {
  return row < rows && column < width ? from[row * width + column] : 0.0f;
}

// Starts the copies of a tile of keys and, if wanted, of the same keys' values.
template <bool Bf16, int Threads>
__device__ __forceinline__ void fetch(std::uint32_t* to, const std::uint32_t* k, const std::uint32_t* v, bool values) {
  using L = Layout<Bf16>;
  constexpr int kPiecesOfRow = L::kWords / 4, kRows = Threads / kPiecesOfRow;  // rows that the block copies at a time
  const int thread = static_cast<int>(threadIdx.x);
  to += thread / kPiecesOfRow * L::kPitch + thread % kPiecesOfRow * 4;
  k += 4 * thread;
  v += 4 * thread;
#pragma unroll
  for (int n = 0; n < (kTile + kRows - 1) / kRows; ++n) {
    if (kTile % kRows != 0 && n * kRows + thread / kPiecesOfRow >= kTile) break;
    copy_4_words(to + n * kRows * L::kPitch, k + n * 4 * Threads);
    if (values) copy_4_words(to + L::kPart + n * kRows * L::kPitch, v + n * 4 * Threads);
  }
}

// The part of a call that a lane works on: rows first and first + 8 of head h of batch item b, and the warp's 32 keys of a tile.
struct Spot {
  std::int64_t row0;  // index of its first row in [batch, heads, queries]
  int b, h, first, half, g, t;
};

template <bool Bf16>
__device__ __forceinline__ void multiply(float* c, const std::uint32_t* a, std::uint32_t b0, std::uint32_t b1) {
  const std::uint32_t b[2] = {b0, b1};
  if (Bf16) {
    mma_bf16(c, a, b);
  } else {
    mma_tf32(c, a, b);
  }
}

// s = scaled scores of the warp's 16 queries and its 32 keys of a tile.
template <bool Bf16>
__device__ __forceinline__ void multiply_keys(const std::uint32_t (&queries)[2 * kPieces<Bf16>][4], const std::uint32_t* tile,
                                              const Spot& at, float (&s)[4][4]) {
  using L = Layout<Bf16>;
  const std::uint32_t* const rows = tile + (kHalf * at.half + at.g / 2 * 4 + at.g % 2) * L::kPitch + 4 * at.t;
#pragma unroll
  for (int n = 0; n < 4; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) s[n][i] = 0.0f;
  }
#pragma unroll
  for (int piece = 0; piece < kPieces<Bf16>; ++piece) {
    uint4 keys[4];
#pragma unroll
    for (int n = 0; n < 4; ++n) keys[n] = four_words(rows + (n / 2 * 16 + n % 2 * 2) * L::kPitch + 16 * piece);
#pragma unroll
    for (int n = 0; n < 4; ++n) multiply<Bf16>(s[n], queries[2 * piece], keys[n].x, keys[n].y);
#pragma unroll
    for (int n = 0; n < 4; ++n) multiply<Bf16>(s[n], queries[2 * piece + 1], keys[n].z, keys[n].w);
  }
}

// context += weights v, for the warp's 32 keys, whose weights are in the registers of their scores.
template <bool Bf16>
__device__ __forceinline__ void multiply_values(const float (&s)[4][4], const std::uint32_t* tile, const Spot& at,
                                                float (&context)[kWidth / 8][4]) {
  using L = Layout<Bf16>;
  constexpr int kProducts = Bf16 ? 2 : 4;
  std::uint32_t weights[kProducts][4];
#pragma unroll
  for (int p = 0; p < kProducts; ++p) {
    if (Bf16) {
      weights[p][0] = bf16_pair(s[2 * p][0], s[2 * p][1]);
      weights[p][1] = bf16_pair(s[2 * p][2], s[2 * p][3]);
      weights[p][2] = bf16_pair(s[2 * p + 1][0], s[2 * p + 1][1]);
      weights[p][3] = bf16_pair(s[2 * p + 1][2], s[2 * p + 1][3]);
    } else {  // slot t of the product takes column 2 t, slot t + 4 column 2 t + 1
      weights[p][0] = tf32(s[p][0]);
      weights[p][1] = tf32(s[p][2]);
      weights[p][2] = tf32(s[p][1]);
      weights[p][3] = tf32(s[p][3]);
    }
  }
  const std::uint32_t* const columns = tile + L::kPart + at.g * L::kPitch + L::kWords / 2 * at.half + 4 * at.t;
#pragma unroll
  for (int piece = 0; piece < kProducts / 2; ++piece) {
#pragma unroll
    for (int four = 0; four < kWidth / 8; four += 4) {
      uint4 values[4];
#pragma unroll
      for (int n = 0; n < 4; ++n) values[n] = four_words(columns + (four + n) * 8 * L::kPitch + 16 * piece);
#pragma unroll
      for (int n = 0; n < 4; ++n) multiply<Bf16>(context[four + n], weights[2 * piece], values[n].x, values[n].y);
#pragma unroll
      for (int n = 0; n < 4; ++n) multiply<Bf16>(context[four + n], weights[2 * piece + 1], values[n].z, values[n].w);
    }
  }
}

// Masks the scores of one of the lane's rows, in place; key0 is the tile's first key. Keys beyond the last get -inf. Returns the
// lane's largest. Scores, fill and biases are exponents of 2, by `unit`.
template <bool Masked>
__device__ __forceinline__ float mask_scores(const AttentionCall& c, const Spot& at, int half, int key0, float unit,
                                             float (&s)[4][4]) {
  const int key = key0 + kHalf * at.half + 4 * at.t, keys_here = static_cast<int>(c.keys) - key;
  float largest = minus_infinity();
#pragma unroll
  for (int n = 0; n < 4; ++n) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      float& x = s[n][2 * half + e];
      const int along = n / 2 * 16 + n % 2 * 2 + e;
      if (Masked && along < keys_here && at.first + 8 * half < static_cast<int>(c.queries)) {
        const std::int64_t cell = mask_cell(c.mask_step, at.b, at.h, at.first + 8 * half, key + along);
        if (c.keep && !c.keep[cell]) {
          x = c.fill;
        } else if (c.bias) {
          x += c.bias[cell] * unit;
        }
      }
      if (along >= keys_here) x = minus_infinity();
      largest = fmaxf(largest, x);
    }
  }
  return largest;
}

// Writes the weights of one of the lane's rows.
__device__ __forceinline__ void store_weights(const AttentionCall& c, const Spot& at, int half, int key0, bool by_fours,
                                              const float (&s)[4][4]) {
  const int key = key0 + kHalf * at.half + 4 * at.t, keys = static_cast<int>(c.keys);
  if (at.first + 8 * half >= static_cast<int>(c.queries)) return;
  float* const to = c.weights + (at.row0 + 8 * half) * c.keys + key;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const float four[4] = {s[2 * j][2 * half], s[2 * j][2 * half + 1], s[2 * j + 1][2 * half], s[2 * j + 1][2 * half + 1]};
    if (by_fours) {
      if (key + 16 * j < keys) write_4_floats(to + 16 * j, make_float4(four[0], four[1], four[2], four[3]));
      continue;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (key + 16 * j + i < keys) to[16 * j + i] = four[i];
  }
}

// The lane's own part of a row: the largest exponent so far, and the sum of weights relative to it.
__device__ __forceinline__ void add_to_sum(int half, float largest, const float (&s)[4][4], float& m, float& total) {
  const float next = fmaxf(m, largest), from = next == minus_infinity() ? 0.0f : next;
  float part = 0.0f;
#pragma unroll
  for (int n = 0; n < 4; ++n) part += power_of_two(s[n][2 * half] - from) + power_of_two(s[n][2 * half + 1] - from);
  total = total * power_of_two(m - from) + part;
  m = next;
}

// The maximum and the sum of parts of rows, combined over the four lanes of a row.
__device__ __forceinline__ void combine_lanes(float& m, float& total) {
  const float of_row = lanes_largest(m, 4), from = of_row == minus_infinity() ? 0.0f : of_row;
  total = lanes_sum(total * power_of_two(m - from), 4);
  m = of_row;
}

#endif

// rounded [line][tile] = tiles of keys, then of values turned; zeros outside. Block (tile of a line, 0: keys, 1: values).
template <bool Bf16>
__global__ void __launch_bounds__(256) round_tiles(AttentionCall c, std::uint32_t* rounded, int tiles) {
#if HL_TENSOR_CORES
  using L = Layout<Bf16>;
  __shared__ float numbers[kTile][kWidth + 1];
#if HL_CLUSTERS
  let_next_launch_start();
#endif
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t line = blockIdx.x / tiles, key0 = std::int64_t{blockIdx.x} % tiles * kTile;
  const bool is_value = blockIdx.y == 1;
  const std::int64_t width = is_value ? c.d_v : c.d_k;
  const float* const from = (is_value ? c.v : c.k) + line * c.keys * width;
#pragma unroll
  for (int n = 0; n < kTile * kWidth / 256; ++n) {
    const int row = (n * 256 + thread) / kWidth, column = thread % kWidth;
    numbers[row][column] = at_or_zero(from, key0 + row, c.keys, column, width);
  }
  __syncthreads();
  std::uint32_t* const to = rounded + (std::int64_t{blockIdx.y} * gridDim.x + blockIdx.x) * L::kStored;
#pragma unroll
  for (int n = 0; n < L::kStored / 256; ++n) {
    const int i = n * 256 + thread, row = i / L::kWords, word = i % L::kWords;
    if (!is_value) {
      to[i] = Bf16 ? bf16_pair(numbers[row][2 * word % kWidth], numbers[row][(2 * word + 1) % kWidth]) : tf32(numbers[row][word]);
    } else if (Bf16) {  // the pair of keys that belongs here in the order of keys above
      const int key = word / 16 * 32 + word % 4 / 2 * 16 + word % 16 / 4 * 4 + word % 2 * 2;
      to[i] = bf16_pair(numbers[key][row], numbers[key + 1][row]);
    } else {
      to[i] = tf32(numbers[word][row]);
    }
  }
#endif
}

// Groups: groups of 16 queries. Maps: the weights are kept. Masked: keep or bias is given. In `c`, scale is already multiplied by
// 1 / temperature and log2 e, and so are fill and biases, by `unit`.
template <bool Bf16, int Groups, bool Maps, bool Masked>
__global__ void __launch_bounds__(64 * Groups, 6 / Groups)
    attention_rounded(AttentionCall c, const std::uint32_t* rounded, float unit, bool by_fours) {
#if HL_TENSOR_CORES
  using L = Layout<Bf16>;
  constexpr int kThreads = 64 * Groups, kQueries = 16 * Groups;
  HL_DYNAMIC_SHARED(std::uint32_t, memory);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32, group = warp % Groups;
  const auto query_tiles = static_cast<unsigned>(tiles_of(c.queries, kQueries));
  const int item = static_cast<int>(blockIdx.x / query_tiles), heads = static_cast<int>(c.heads);
  Spot at{};
  at.b = item / heads;
  at.h = item % heads;
  at.half = warp / Groups;
  at.g = lane / 4;
  at.t = lane % 4;
  at.first = static_cast<int>(blockIdx.x % query_tiles) * kQueries + 16 * group + at.g;
  at.row0 = item * c.queries + at.first;

  std::uint32_t queries[2 * kPieces<Bf16>][4];
  const float* const q = c.q + item * c.queries * c.d_k;
#pragma unroll
  for (int piece = 0; piece < kPieces<Bf16>; ++piece) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {  // word 16 piece + 4 t + i of both rows
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int word = 16 * piece + 4 * at.t + i;
        const std::int64_t row = at.first + 8 * half;
        const auto scaled = [&](int column) { return at_or_zero(q, row, c.queries, column, c.d_k) * c.scale; };
        queries[2 * piece + i / 2][i % 2 * 2 + half] =
            Bf16 ? bf16_pair(scaled(2 * word), scaled(2 * word + 1)) : tf32(scaled(word));
      }
    }
  }

  const int count = static_cast<int>(tiles_of(c.keys, kTile));
  const std::int64_t line = at.b * c.kv_heads + at.h / (c.heads / c.kv_heads);
  const std::uint32_t* const k = rounded + line * count * L::kStored;
  const std::uint32_t* const v = k + c.batch * c.kv_heads * count * L::kStored;
  float context[kWidth / 8][4] = {}, m[2] = {minus_infinity(), minus_infinity()}, total[2] = {0.0f, 0.0f};
  // A step takes one tile. With maps, the first `count` steps are the first pass, which needs no values.
  constexpr int kAhead = L::kStages - 1;
  const int first_step = Maps ? count : 0, steps = first_step + count;
  const auto stage = [&](int step) { return memory + step % L::kStages * 2 * L::kPart; };
  const auto start = [&](int step) {
    const bool values = step >= first_step;
    const std::int64_t from = (values ? step - first_step : step) * std::int64_t{L::kStored};
    if (step < steps) fetch<Bf16, kThreads>(stage(step), k + from, v + from, values);
    end_group_of_copies();
  };
#if HL_CLUSTERS
  wait_for_last_launch();  // keys and values are rounded
#endif
#pragma unroll
  for (int step = 0; step < kAhead; ++step) start(step);

  if (Maps) {
#pragma unroll 1
    for (int tile = 0; tile < count; ++tile) {
      wait_for_groups_of_copies<kAhead - 1>();
      __syncthreads();  // this tile has arrived, and every thread has finished with the last one
      start(tile + kAhead);
      float s[4][4];
      multiply_keys<Bf16>(queries, stage(tile), at, s);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float largest = mask_scores<Masked>(c, at, half, tile * kTile, unit, s);
        add_to_sum(half, largest, s, m[half], total[half]);
      }
    }
    // The two warps' parts of a row become its maximum and the inverse of its sum.
    __syncthreads();
    float* const states = reinterpret_cast<float*>(stage(count - 1));  // [2][kQueries][2], where nothing is copied to
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      combine_lanes(m[half], total[half]);
      float* const own = states + ((at.half * Groups + group) * 16 + at.g + 8 * half) * 2;
      if (at.t == 0) own[0] = m[half], own[1] = total[half];
    }
    __syncthreads();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float* const other = states + (((1 - at.half) * Groups + group) * 16 + at.g + 8 * half) * 2;
      const float largest = fmaxf(m[half], other[0]), from = largest == minus_infinity() ? 0.0f : largest;
      const float sum = total[half] * power_of_two(m[half] - from) + other[1] * power_of_two(other[0] - from);
      m[half] = from;
      total[half] = inverse_of(sum);
    }
  }

#pragma unroll 1
  for (int tile = 0; tile < count; ++tile) {
    wait_for_groups_of_copies<kAhead - 1>();
    __syncthreads();
    start(first_step + tile + kAhead);
    const std::uint32_t* const here = stage(first_step + tile);
    float s[4][4];
    multiply_keys<Bf16>(queries, here, at, s);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int key0 = tile * kTile;
      float largest = mask_scores<Masked>(c, at, half, key0, unit, s), from = m[half];
      if (!Maps) {
        largest = fmaxf(m[half], lanes_largest(largest, 4));
        from = largest == minus_infinity() ? 0.0f : largest;
        const float correction = power_of_two(m[half] - from);
        m[half] = largest;
        total[half] *= correction;
#pragma unroll
        for (int n = 0; n < kWidth / 8; ++n) {
          context[n][2 * half] *= correction;
          context[n][2 * half + 1] *= correction;
        }
      }
#pragma unroll
      for (int n = 0; n < 4; ++n) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float& x = s[n][2 * half + e];
          x = power_of_two(x - from);
          if (Maps) {
            x *= total[half];
          } else {
            total[half] += x;
          }
        }
      }
      if (Maps) store_weights(c, at, half, key0, by_fours, s);
    }
    multiply_values<Bf16>(s, here, at, context);
  }

  // The second warp of a group hands its part to the first one, number by number: [36][lanes of all groups].
  __syncthreads();
  constexpr int kLanes = 32 * Groups, kStates = kWidth / 8 * 4;
  float* const passed = reinterpret_cast<float*>(memory) + group * 32 + lane;
  if (at.half == 1) {
#pragma unroll
    for (int i = 0; i < kStates; ++i) passed[i * kLanes] = context[i / 4][i % 4];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      passed[(kStates + half) * kLanes] = m[half];
      passed[(kStates + 2 + half) * kLanes] = total[half];
    }
  }
  __syncthreads();
  if (at.half == 1) return;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float own = 1.0f, others = 1.0f;
    if (!Maps) {
      const float other_m = passed[(kStates + half) * kLanes], largest = fmaxf(m[half], other_m);
      const float from = largest == minus_infinity() ? 0.0f : largest;
      own = power_of_two(m[half] - from);
      others = power_of_two(other_m - from);
      const float inverse = inverse_of(lanes_sum(total[half] * own + passed[(kStates + 2 + half) * kLanes] * others, 4));
      own *= inverse;
      others *= inverse;
    }
    if (at.first + 8 * half >= static_cast<int>(c.queries)) continue;
    float* const to = c.context + (at.row0 + 8 * half) * c.d_v;
#pragma unroll
    for (int n = 0; n < kWidth / 8; ++n) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int i = 2 * half + e, column = n * 8 + 2 * at.t + e;
        if (column < c.d_v) to[column] = context[n][i] * own + passed[(4 * n + i) * kLanes] * others;
      }
    }
  }
#endif
}

bool does(const AttentionCall& c, const Place& place) {
  const bool keeps_scores = c.scores || c.scaled || c.masked;
  return place.code >= 80 && c.precision != kFloat32 && !keeps_scores && c.d_k <= kWidth && c.d_v <= kWidth && c.keys > 0 &&
         c.keys < (std::int64_t{1} << 30) && c.queries < (std::int64_t{1} << 30) &&
         c.batch * c.heads * tiles_of(c.queries, 32) < (std::int64_t{1} << 31) &&
         c.batch * c.kv_heads * tiles_of(c.keys, kTile) < (std::int64_t{1} << 31);
}

template <bool Bf16, int Groups>
cudaError_t launch_groups(const AttentionCall& c, const Place& place, const std::uint32_t* rounded, float unit) {
  Shape shape{};
  shape.grid = dim3(static_cast<unsigned>(c.batch * c.heads * tiles_of(c.queries, 16 * Groups)));
  shape.block = dim3(64 * Groups);
  shape.shared = Layout<Bf16>::kMemory * sizeof(std::uint32_t);
  shape.overlaps = place.overlaps;
  const bool by_fours = c.keys % 4 == 0 && reinterpret_cast<std::uintptr_t>(c.weights) % 16 == 0, masked = c.keep || c.bias;
  const auto kernel =
      c.weights ? (masked ? attention_rounded<Bf16, Groups, true, true> : attention_rounded<Bf16, Groups, true, false>)
                : (masked ? attention_rounded<Bf16, Groups, false, true> : attention_rounded<Bf16, Groups, false, false>);
  return launch(kernel, shape, place.stream, c, rounded, unit, by_fours);
}

template <bool Bf16>
cudaError_t launch_as(AttentionCall c, const Place& place) {
  const int tiles = static_cast<int>(tiles_of(c.keys, kTile));
  auto* const rounded = static_cast<std::uint32_t*>(c.workspace);
  const cudaError_t status = launch(round_tiles<Bf16>, dim3(static_cast<unsigned>(c.batch * c.kv_heads * tiles), 2), dim3(256), 0,
                                    place.stream, c, rounded, tiles);
  if (status != cudaSuccess) return status;
  const float unit = c.inverse_temperature * 1.44269504f;  // log2 e
  c.scale *= unit;
  c.fill *= unit;
  // The most queries that one multiprocessor gets; small blocks read keys and values more often.
  const auto most = [&](int queries) {
    return static_cast<double>(tiles_of(c.batch * c.heads * tiles_of(c.queries, queries), place.multiprocessors) * queries);
  };
  return 1.05 * most(32) < most(48) ? launch_groups<Bf16, 2>(c, place, rounded, unit)
                                    : launch_groups<Bf16, 3>(c, place, rounded, unit);
}

}  // namespace

std::size_t workspace_of_rounded(const AttentionCall& c, const Place& place) {
  const std::size_t each = c.precision == kBrainFloat16 ? Layout<true>::kStored : Layout<false>::kStored;
  return does(c, place)
             ? static_cast<std::size_t>(2 * c.batch * c.kv_heads * tiles_of(c.keys, kTile)) * each * sizeof(std::uint32_t)
             : 0;
}

cudaError_t launch_attention_rounded(const AttentionCall& c, const Place& place, bool* fits) {
  const std::size_t bytes =
      (c.precision == kBrainFloat16 ? Layout<true>::kMemory : Layout<false>::kMemory) * sizeof(std::uint32_t);
  *fits = c.workspace && does(c, place) && bytes <= place.shared;
  if (!*fits) return cudaSuccess;
  return c.precision == kBrainFloat16 ? launch_as<true>(c, place) : launch_as<false>(c, place);
}

}  // namespace headlight::backends::cuda
