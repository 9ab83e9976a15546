// Index-based attention once its tables exist, up to the result in one launch (S3; PoolCall in module.h with `result`; compute
// capability 9.0): look up, scale, mask, softmax, pool over the queries, and weight the values.
//   table [heads, n + l, n + l], values [n + l, heads * d_k], ids [words, l]  ->  result [words, heads * d_k], score as asked
//
// A cluster of blocks takes 16 words of a head; each block takes some of the words and its share of the head's columns. While a
// block looks its words up, its columns of the values are copied to shared memory. The pooled weights of a word, by symbol and
// position (`spread`), are sent to every block of the cluster. Then each block multiplies all 16 words' rows with its own
// columns: as one tile of the tensor cores, or as float32 sums of which every group of threads computes a part. Nothing else is
// written to memory.
//
// A warp takes 16 queries of a word at once and a lane one key of each (KeysPerLane with longer words). The warp finds the 16
// largest scores and 16 sums together, with 16 exchanges between lanes instead of 80. Where a table is used for many words,
// e^(scale x) of its numbers is computed once: a weight is then a product of four numbers and needs no maximum and no exponential
// of its own. That is safe only while no product leaves float32's range; otherwise scores are added up as usual. Sums run in a
// fixed order, so results are reproducible.
#include <cfloat>

#include "engine/backends/cuda/runtime/cluster.h"
#include "engine/backends/cuda/runtime/cuda_kernels.h"
#include "engine/backends/cuda/runtime/tensor_core.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kWords = 16;               // words of a cluster
constexpr int kRows = 16;                // queries that a warp takes at a time
constexpr int kSums = kThreads * 32;     // floats: every thread's part of 8 words by 4 columns
constexpr std::size_t kReserved = 1024;  // bytes of shared memory that the system takes for every block

struct Layout {
  std::int32_t words;    // words of a block
  std::int32_t columns;  // columns of the values, a block's share: 32, 64 or 128
  std::int32_t inner;    // n + l rounded up to a multiple of 16
  std::int32_t pitch;    // floats from one row of spread to the next
  std::int32_t keys;     // l rounded up to a multiple of 4
  std::int32_t chunks;   // chunks of kRows queries
  std::int32_t per_cluster, groups;
  bool exponentials;
  // Where the parts of shared memory begin, in floats.
  std::int32_t values, spread, sums, parts, score, ids, queries, end;
};

#if HL_CLUSTERS

constexpr float kSafeExponent = 64.0f;  // float32 ends at 88

// A head's table in shared memory, in float32 or rounded to bfloat16.
template <bool Rounded>
struct OwnTable {
  const float* at;
  __device__ __forceinline__ float operator[](std::int64_t i) const { return at[i]; }
};
template <>
struct OwnTable<true> {
  const std::uint16_t* at;
  __device__ __forceinline__ float operator[](std::int64_t i) const { return float_of(std::uint32_t{at[i]} << 16); }
};

struct Larger {
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};
// Reduces kRows rows over the lanes at once: lanes 2 r and 2 r + 1 get the result of row r. Every step halves the rows that a
// lane still works on.
template <int Rows = kRows, class Op>
__device__ __forceinline__ float over_lanes(float (&row)[kRows], Op op) {
  if constexpr (Rows == 1) {
    return op(row[0], __shfl_xor_sync(kAllLanes, row[0], 1));
  } else {
    const bool upper = (static_cast<int>(threadIdx.x) & Rows) != 0;
#pragma unroll
    for (int r = 0; r < Rows / 2; ++r) {
      const float passed = upper ? row[r] : row[r + Rows / 2], own = upper ? row[r + Rows / 2] : row[r];
      row[r] = op(own, __shfl_xor_sync(kAllLanes, passed, Rows));
    }
    return over_lanes<Rows / 2>(row, op);
  }
}
__device__ __forceinline__ float of_row(float of_lane, int row) { return __shfl_sync(kAllLanes, of_lane, 2 * row); }

__device__ __forceinline__ bool finite(float x) { return fabsf(x) <= FLT_MAX; }
// Replaces those of a word's `Count` neighbouring cells of the result whose sums met a NaN or an infinity: by sums in which
// weights of 0 take no part. `column` is the first cell's column of the values. The loop is kept short: code that nearly never
// runs would push other code out of the instruction cache.
template <int Count>
__device__ __forceinline__ void mend(float (&total)[Count], const float* spread, const float* column, int pitch, int width) {
  bool all = true;
#pragma unroll
  for (int j = 0; j < Count; ++j) all = all && finite(total[j]);
  if (all) return;
  float sum[Count] = {};
#pragma unroll 1
  for (int k = 0; k < width; ++k) {
    const float weight = spread[k];
    if (weight == 0.0f) continue;
#pragma unroll
    for (int j = 0; j < Count; ++j) sum[j] += weight * column[k * pitch + j];
  }
#pragma unroll
  for (int j = 0; j < Count; ++j)
    if (!finite(total[j])) total[j] = sum[j];
}

// Starts the copies of a head's table and of a block's columns of its values, in two groups. A rounded table is complete after
// the next barrier.
template <bool Rounded>
__device__ void fetch(const PoolCall& c, const Layout& at, int head, int column0, float* memory) {
  const int thread = static_cast<int>(threadIdx.x), width = static_cast<int>(c.vocabulary + c.length), cells = width * width;
  const float* const table = c.table + std::int64_t{head} * cells;
  if constexpr (Rounded) {
    auto* const to = reinterpret_cast<std::uint16_t*>(memory);
#pragma unroll 8
    for (int i = thread; i < cells; i += kThreads) to[i] = static_cast<std::uint16_t>(bf16_bits(bits_of(table[i])));
  } else if (cells % 4 == 0) {
#pragma unroll 4
    for (int i = thread; i < cells / 4; i += kThreads) copy_4_floats(memory + 4 * i, table + 4 * i, true);
  } else {
#pragma unroll 8
    for (int i = thread; i < cells; i += kThreads) memory[i] = table[i];
  }
  end_group_of_copies();
  const int fours = at.columns / 4, pitch = at.columns + 8, d_k = static_cast<int>(c.d_k);
  const float* const values = c.values + std::int64_t{head} * d_k + column0;
#pragma unroll 4
  for (int i = thread; i < at.inner * fours; i += kThreads) {
    const int row = i / fours, column = i % fours * 4;
    const bool there = row < width && column0 + column < d_k;
    copy_4_floats(memory + at.values + row * pitch + column,
                  there ? values + static_cast<std::int64_t>(row) * (c.heads * d_k) + column : c.values, there);
  }
  end_group_of_copies();
}

// Replaces the table by e^(scale x), if every sum of four of its numbers stays in range. Returns whether it did; all threads get
// the same answer.
__device__ bool take_exponentials(const PoolCall& c, float* table, float* scratch) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int n = static_cast<int>(c.vocabulary), width = n + static_cast<int>(c.length);
  // The largest |x| among pairs symbol-symbol, symbol-position, position-symbol and position-position: a score adds up one number
  // of each.
  float most[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int row = warp; row < width; row += kWarps)
    for (int column = lane; column < width; column += 32) {
      const float x = fabsf(table[row * width + column]);
#pragma unroll
      for (int q = 0; q < 4; ++q) most[q] = fmaxf(most[q], (row >= n) == (q >= 2) && (column >= n) == (q % 2 == 1) ? x : 0.0f);
    }
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const float of_warp = lanes_largest(most[q]);
    if (lane == 0) scratch[warp * 4 + q] = of_warp;
  }
  __syncthreads();
  float together = 0.0f;
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    float largest = 0.0f;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) largest = fmaxf(largest, scratch[w * 4 + q]);
    together += largest;
  }
  const bool safe = together * fabsf(c.scale) <= kSafeExponent;
  if (safe)
    for (int i = static_cast<int>(threadIdx.x); i < width * width; i += kThreads) table[i] = expf(c.scale * table[i]);
  __syncthreads();
  return safe;
}

// For a warp's queries i0 .. i0 + 15 of one word: part[j] becomes the sum of their weights of key j.
template <int KeysPerLane, bool Exponentials, class Table>
__device__ __forceinline__ void look_up(const PoolCall& c, const Table& table, const std::int32_t* ids, int i0, float* part) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int l = static_cast<int>(c.length), n = static_cast<int>(c.vocabulary), width = n + l;
  int symbol[KeysPerLane];
  bool there[KeysPerLane];
#pragma unroll
  for (int m = 0; m < KeysPerLane; ++m) {
    const int j = lane + 32 * m;
    symbol[m] = j < l ? ids[j] : 0;
    there[m] = j < l && symbol[m] != c.pad;
  }
  float cell[kRows][KeysPerLane], row[kRows];
  unsigned counted = 0;  // queries that count in the mean, the same in every lane
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int i = i0 + r < l ? i0 + r : l - 1, of_query = ids[i];
    if (i0 + r < l && of_query != c.pad) counted |= 1u << r;
#pragma unroll
    for (int m = 0; m < KeysPerLane; ++m) {
      const int j = lane + 32 * m < l ? lane + 32 * m : l - 1;
      const Terms t = terms_of(table, width, n, of_query, i, symbol[m], j);
      cell[r][m] =
          Exponentials ? (there[m] ? (t.mm * t.mp) * (t.pm * t.pp) : 0.0f) : (there[m] ? sum_of(t) * c.scale : minus_infinity());
    }
  }
  if constexpr (!Exponentials) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      row[r] = cell[r][0];
#pragma unroll
      for (int m = 1; m < KeysPerLane; ++m) row[r] = fmaxf(row[r], cell[r][m]);
    }
    const float largest = over_lanes(row, Larger{});
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float of_this = of_row(largest, r);
#pragma unroll
      for (int m = 0; m < KeysPerLane; ++m) cell[r][m] = weight_of(cell[r][m], of_this, 1.0f);
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    row[r] = 0.0f;
#pragma unroll
    for (int m = 0; m < KeysPerLane; ++m) row[r] += cell[r][m];
  }
  const float inverse = inverse_of(over_lanes(row, Sum{}));
  float sum[KeysPerLane];
#pragma unroll
  for (int m = 0; m < KeysPerLane; ++m) sum[m] = 0.0f;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const float of_this = of_row(inverse, r);
    if ((counted >> r & 1u) == 0) continue;
#pragma unroll
    for (int m = 0; m < KeysPerLane; ++m) sum[m] += cell[r][m] * of_this;
  }
#pragma unroll
  for (int m = 0; m < KeysPerLane; ++m)
    if (lane + 32 * m < l) part[lane + 32 * m] = sum[m];
}

// Multiplies all words' rows of spread [16, inner] with this block's columns of the values, in float32.
__device__ void weigh(const PoolCall& c, const Layout& at, std::int64_t word0, float* result, int columns, float* memory) {
  const int thread = static_cast<int>(threadIdx.x), across = at.columns / 4, parts = kThreads / (2 * across);
  const int column = thread % across * 4, half = thread / across % 2, part = thread / (2 * across);
  const float* const spread = memory + at.spread + 8 * half * at.pitch;
  const float* const values = memory + at.values + column;
  const int pitch = at.columns + 8;
  float sum[8][4];
#pragma unroll
  for (int w = 0; w < 8; ++w) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[w][i] = 0.0f;
  }
#pragma unroll 1
  for (int k = 4 * part; k < at.inner; k += 4 * parts) {
    float4 v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = *reinterpret_cast<const float4*>(values + (k + i) * pitch);
#pragma unroll
    for (int w = 0; w < 8; ++w) {
      const float4 s = *reinterpret_cast<const float4*>(spread + w * at.pitch + k);
      sum[w][0] += s.x * v[0].x, sum[w][1] += s.x * v[0].y, sum[w][2] += s.x * v[0].z, sum[w][3] += s.x * v[0].w;
      sum[w][0] += s.y * v[1].x, sum[w][1] += s.y * v[1].y, sum[w][2] += s.y * v[1].z, sum[w][3] += s.y * v[1].w;
      sum[w][0] += s.z * v[2].x, sum[w][1] += s.z * v[2].y, sum[w][2] += s.z * v[2].z, sum[w][3] += s.z * v[2].w;
      sum[w][0] += s.w * v[3].x, sum[w][1] += s.w * v[3].y, sum[w][2] += s.w * v[3].z, sum[w][3] += s.w * v[3].w;
    }
  }
  float* const own = memory + at.sums + (part * kWords + 8 * half) * at.columns + column;
#pragma unroll
  for (int w = 0; w < 8; ++w)
    *reinterpret_cast<float4*>(own + w * at.columns) = make_float4(sum[w][0], sum[w][1], sum[w][2], sum[w][3]);
  __syncthreads();
  for (int i = thread; i < kWords * across; i += kThreads) {
    const int word = i / across, first = i % across * 4;
    float total[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
    for (int p = 0; p < parts; ++p) {
      const float4 x = *reinterpret_cast<const float4*>(memory + at.sums + (p * kWords + word) * at.columns + first);
      total[0] += x.x, total[1] += x.y, total[2] += x.z, total[3] += x.w;
    }
    if (word0 + word >= c.words || first >= columns) continue;
    mend(total, memory + at.spread + word * at.pitch, memory + at.values + first, pitch,
         static_cast<int>(c.vocabulary + c.length));
    *reinterpret_cast<float4*>(result + (word0 + word) * (c.heads * c.d_k) + first) =
        make_float4(total[0], total[1], total[2], total[3]);
  }
}

// The same on the tensor cores: a warp computes 16 words by 8 columns, and another 8 (fragments: tensor_core.h).
template <Precision kPrecision>
__device__ void weigh_on_tensor_cores(const PoolCall& c, const Layout& at, std::int64_t word0, float* result, int columns,
                                      float* memory) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  constexpr bool kPairs = kPrecision == kBrainFloat16;
  constexpr int kStep = kPairs ? 16 : 8, kHalf = kStep / 2, kLane = kPairs ? 2 : 1;
  const int pitch = at.columns + 8;
  float sum[2][4] = {};
  for (int k = 0; k < at.inner; k += kStep) {
    std::uint32_t a[4], b[2];
    const float* const of_words = memory + at.spread + g * at.pitch + k + kLane * t;
    const auto pair = [&](const float* x) { return kPairs ? bf16_pair(x[0], x[1]) : tf32(x[0]); };
    a[0] = pair(of_words);
    a[1] = pair(of_words + 8 * at.pitch);
    a[2] = pair(of_words + kHalf);
    a[3] = pair(of_words + 8 * at.pitch + kHalf);
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
      const int column = (warp + kWarps * tile) * 8;
      if (column >= at.columns) break;  // all lanes of the warp decide alike
      const float* const of_values = memory + at.values + (k + kLane * t) * pitch + column + g;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float* const x = of_values + half * kHalf * pitch;
        b[half] = kPairs ? bf16_pair(x[0], x[pitch]) : tf32(x[0]);
      }
      if constexpr (kPairs) {
        mma_bf16(sum[tile], a, b);
      } else {
        mma_tf32(sum[tile], a, b);
      }
    }
  }
#pragma unroll
  for (int tile = 0; tile < 2; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int word = g + 8 * half, column = (warp + kWarps * tile) * 8 + 2 * t;
      if (word0 + word >= c.words || column >= at.columns || column >= columns) continue;
      float x[2] = {sum[tile][2 * half], sum[tile][2 * half + 1]};
      mend(x, memory + at.spread + word * at.pitch, memory + at.values + column, pitch,
           static_cast<int>(c.vocabulary + c.length));
      *reinterpret_cast<float2*>(result + (word0 + word) * (c.heads * c.d_k) + column) = make_float2(x[0], x[1]);
    }
  }
}

// Reads the symbols of a block's words, from word `first` on, to ids [at.words][at.keys], -1 beyond a word's end. Their scores
// begin as zeros.
__device__ __forceinline__ void read_words(const PoolCall& c, const Layout& at, std::int64_t first, std::int32_t* ids,
                                           float* score) {
  const int l = static_cast<int>(c.length);
  for (int i = static_cast<int>(threadIdx.x); i < at.words * at.keys; i += kThreads) {
    const int word = i / at.keys, j = i % at.keys;
    ids[i] = j < l && first + word < c.words ? c.ids[(first + word) * l + j] : (j < l ? 0 : -1);
    score[i] = 0.0f;
  }
}

// score [at.words][at.keys] = the mean weights over a word's queries, from parts [at.words][at.chunks][l], the sums of weights of
// each chunk of queries, and queries [at.words], how many of them count. Written to c.score, too, if that is kept.
__device__ __forceinline__ void pool_queries(const PoolCall& c, const Layout& at, int head, std::int64_t first,
                                             const float* parts, const float* queries, float* score) {
  const int l = static_cast<int>(c.length);
  for (int i = static_cast<int>(threadIdx.x); i < at.words * l; i += kThreads) {
    const int word = i / l, j = i % l;
    float sum = 0.0f;
    for (int chunk = 0; chunk < at.chunks; ++chunk) sum += parts[(word * at.chunks + chunk) * l + j];
    const float mean = queries[word] > 0.0f ? sum / queries[word] : 0.0f;
    score[word * at.keys + j] = mean;
    if (c.score && first + word < c.words) c.score[((first + word) * c.heads + head) * l + j] = mean;
  }
}

// Adds the scores of the block's words up by symbol, then by position, and sends these rows to `spread`, at their place among the
// cluster's kWords rows, in the shared memory of every block of the cluster.
__device__ __forceinline__ void send_spread(const PoolCall& c, const Layout& at, const std::int32_t* ids, const float* score,
                                            float* memory, int rank, int ranks) {
  const int l = static_cast<int>(c.length), n = static_cast<int>(c.vocabulary);
  for (int i = static_cast<int>(threadIdx.x); i < at.words * at.inner; i += kThreads) {
    const int word = i / at.inner, k = i % at.inner;
    const float* const own = score + word * at.keys;
    float weight = 0.0f;
    if (k < n) {
#pragma unroll 2
      for (int j = 0; j < at.keys; j += 4) {
        const float4 s = *reinterpret_cast<const float4*>(own + j);
        const int4 id = *reinterpret_cast<const int4*>(ids + word * at.keys + j);
        weight += id.x == k ? s.x : 0.0f;
        weight += id.y == k ? s.y : 0.0f;
        weight += id.z == k ? s.z : 0.0f;
        weight += id.w == k ? s.w : 0.0f;
      }
    } else if (k < n + l) {
      weight = own[k - n];
    }
    float* const to = memory + at.spread + (rank * at.words + word) * at.pitch + k;
#pragma unroll 1
    for (int receiver = 0; receiver < ranks; ++receiver) *of_rank(to, receiver) = weight;
  }
}

#endif

template <int KeysPerLane, Precision kPrecision>
__global__ void __launch_bounds__(kThreads, KeysPerLane > 1 ? 1 : 2) isdpa_words(PoolCall c, Layout at, int ranks) {
#if HL_CLUSTERS
  constexpr bool kRounded = kPrecision == kBrainFloat16;
  HL_DYNAMIC_SHARED(float, memory);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int rank = ranks > 1 ? rank_in_cluster() : 0, l = static_cast<int>(c.length);
  const int column0 = rank * at.columns, columns = static_cast<int>(c.d_k) - column0;
  auto* const ids = reinterpret_cast<std::int32_t*>(memory + at.ids);
  float* const score = memory + at.score;
  float* const queries = memory + at.queries;
  OwnTable<kRounded> table{};
  if constexpr (kRounded) {
    table.at = reinterpret_cast<const std::uint16_t*>(memory);
  } else {
    table.at = memory;
  }
  int head_of_table = -1;
  bool exponentials = false;
  if (ranks > 1) arrive_having_read();  // the cluster's blocks must have begun before one writes to another
  wait_for_last_launch();

  const int items = static_cast<int>(c.heads) * at.groups, begin = static_cast<int>(blockIdx.x) / ranks * at.per_cluster;
  const int end = items - begin < at.per_cluster ? items : begin + at.per_cluster;
  for (int item = begin; item < end; ++item) {
    const int head = item / at.groups;
    const std::int64_t word0 = std::int64_t{item % at.groups} * kWords, own_word0 = word0 + rank * at.words;
    const bool fresh = head != head_of_table;
    if (fresh) fetch<kRounded>(c, at, head, column0, memory);
    read_words(c, at, own_word0, ids, score);
    wait_for_groups_of_copies<1>();
    __syncthreads();
    if constexpr (!kRounded) {
      if (fresh && at.exponentials) exponentials = take_exponentials(c, memory, memory + at.parts);
    }
    head_of_table = head;

    for (int task = warp; task < at.words * at.chunks; task += kWarps) {
      const int word = task / at.chunks, chunk = task % at.chunks;
      const std::int32_t* const own = ids + word * at.keys;
      float* const part = memory + at.parts + task * l;
      if (!kRounded && exponentials) {
        look_up<KeysPerLane, true>(c, table, own, chunk * kRows, part);
      } else {
        look_up<KeysPerLane, false>(c, table, own, chunk * kRows, part);
      }
      if (chunk > 0) continue;
      float count = 0.0f;
      for (int j = lane; j < l; j += 32) count += own[j] == c.pad ? 0.0f : 1.0f;
      count = lanes_sum(count);
      if (lane == 0) queries[word] = count;
    }
    __syncthreads();
    pool_queries(c, at, head, own_word0, memory + at.parts, queries, score);
    __syncthreads();
    if (ranks > 1) wait_for_cluster();  // the other blocks have begun, or have finished with the last words
    send_spread(c, at, ids, score, memory, rank, ranks);
    wait_for_groups_of_copies<0>();
    if (ranks > 1) {
      sync_cluster();
    } else {
      __syncthreads();
    }
    float* const result = c.result + head * c.d_k + column0;
    if constexpr (kPrecision == kFloat32) {
      weigh(c, at, word0, result, columns, memory);
    } else {
      weigh_on_tensor_cores<kPrecision>(c, at, word0, result, columns, memory);
    }
    if (item + 1 == end) break;
    if (ranks > 1) arrive_having_read();  // this block has finished with `spread`
    __syncthreads();
  }
#endif
}

// HEADLIGHT_CUDA_ISDPA names a method, to look for a fault or to compare times: "steps" in launches of their own (isdpa_pool.cu
// and a product), "scores" without e^ of the table, "exponentials" with it for few words too.
bool asked_for(const char* way) { return cuda::asked_for("HEADLIGHT_CUDA_ISDPA", way); }

struct Choice {
  int ranks = 0;  // 0: this kernel does not do the call
  Layout layout{};
};

Choice choose(const PoolCall& c, const Place& place) {
  Choice choice;
  const std::int64_t width = c.vocabulary + c.length;
  const auto aligned = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; };
  const bool asked = c.table && c.values && c.result && !c.mm && !c.mp && !c.pm && !c.pp && !c.qk && !c.soft && !c.spread;
  if (!place.clusters || !asked || asked_for("steps") || c.length > 128 || width > 1024 || c.d_k % 4 != 0 || c.d_k > 1024 ||
      c.words <= 0 || c.words >= (1 << 30) || c.heads * tiles_of(c.words, kWords) >= (1 << 30) || !aligned(c.table) ||
      !aligned(c.values) || !aligned(c.result))
    return choice;
  const int d_k = static_cast<int>(c.d_k), l = static_cast<int>(c.length),
            ranks = d_k <= 64 ? 1 : (d_k <= 128 ? 2 : (d_k <= 512 ? 4 : 8));
  const int share = (d_k + ranks - 1) / ranks;
  Layout& at = choice.layout;
  at.words = kWords / ranks;
  at.columns = share <= 32 ? 32 : (share <= 64 ? 64 : 128);
  at.inner = static_cast<std::int32_t>(tiles_of(width, 16) * 16);
  at.pitch = static_cast<std::int32_t>(tiles_of(width, 32) * 32 + 4);
  at.keys = static_cast<std::int32_t>(tiles_of(l, 4) * 4);
  at.chunks = static_cast<std::int32_t>(tiles_of(l, kRows));
  at.groups = static_cast<std::int32_t>(tiles_of(c.words, kWords));
  const bool rounded = c.precision == kBrainFloat16;
  const std::int64_t cells = rounded ? tiles_of(width * width, 2) : width * width, items = c.heads * at.groups;
  // Lays out the memory and divides the words among as many clusters as run at a time. sums_in_table: the sums take the place of
  // the table, which then serves one group of words only.
  const auto lay_out = [&](bool sums_in_table) {
    std::int64_t next = 0;
    const auto part = [&](std::int64_t floats) {
      const std::int64_t begins = next;
      next += tiles_of(floats, 4) * 4;
      return static_cast<std::int32_t>(begins);
    };
    part(cells);
    at.values = part(std::int64_t{at.inner} * (at.columns + 8));
    at.spread = part(std::int64_t{kWords} * at.pitch);
    at.sums = sums_in_table ? 0 : part(c.precision == kFloat32 ? kSums : 0);
    at.parts = part(std::int64_t{at.words} * at.chunks * l > 4 * kWarps ? std::int64_t{at.words} * at.chunks * l : 4 * kWarps);
    at.score = part(std::int64_t{at.words} * at.keys);
    at.ids = part(std::int64_t{at.words} * at.keys);
    at.queries = part(at.words);
    at.end = static_cast<std::int32_t>(next);
    const auto bytes = static_cast<std::size_t>(next) * sizeof(float);
    // Two blocks fit on a multiprocessor if their memory does, and if a lane takes one key, which needs fewer registers.
    const int beside = l <= 32 && 2 * (bytes + kReserved) <= place.shared + kReserved ? 2 : 1;
    const std::int64_t room = beside * place.blocks_at_once(ranks) / ranks;
    at.per_cluster = static_cast<std::int32_t>(tiles_of(items, room < 1 ? 1 : room));
    return bytes <= place.shared;
  };
  const bool in_table = c.precision == kFloat32 && cells >= kSums;
  if (!(in_table && lay_out(true) && at.per_cluster == 1) && !lay_out(false)) return choice;
  // Computing the exponential of one number of the table costs about as much as looking up four cells.
  at.exponentials = !rounded && !asked_for("scores") &&
                    (asked_for("exponentials") || std::int64_t{at.per_cluster} * at.words * l * l >= 4 * width * width);
  choice.ranks = ranks;
  return choice;
}

template <int KeysPerLane>
cudaError_t launch_with(const PoolCall& c, const Place& place, const Choice& choice) {
  const Layout& at = choice.layout;
  Shape shape{};
  shape.grid = dim3(static_cast<unsigned>(tiles_of(c.heads * at.groups, at.per_cluster) * choice.ranks));
  shape.block = dim3(kThreads);
  shape.shared = static_cast<std::size_t>(at.end) * sizeof(float);
  shape.cluster = choice.ranks;
  shape.overlaps = place.overlaps;
  const auto kernel = c.precision == kFloat32        ? isdpa_words<KeysPerLane, kFloat32>
                      : c.precision == kBrainFloat16 ? isdpa_words<KeysPerLane, kBrainFloat16>
                                                     : isdpa_words<KeysPerLane, kTensorFloat32>;
  return launch(kernel, shape, place.stream, c, at, choice.ranks);
}

}  // namespace

bool pools_to_result(const PoolCall& c, const Place& place) { return choose(c, place).ranks > 0; }

cudaError_t launch_words(const PoolCall& c, const Place& place, bool* fits) {
  const Choice choice = choose(c, place);
  *fits = choice.ranks > 0;
  if (!*fits) return cudaSuccess;
  return c.length <= 32   ? launch_with<1>(c, place, choice)
         : c.length <= 64 ? launch_with<2>(c, place, choice)
                          : launch_with<4>(c, place, choice);
}

}  // namespace headlight::backends::cuda
