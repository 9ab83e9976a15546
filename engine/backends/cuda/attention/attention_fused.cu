// Attention in float32, with or without its maps (the formula and shapes are those of attention_simple.cu; heads up to 64 wide in
// steps of 4, code for compute 8.0 and later).
//
// A block of 128 threads takes 64 queries of a head, or 32 where that fills the multiprocessors more evenly, and steps through
// the keys, 64 at a time. Rows stay as they are in memory: thread (ty, tx) of 8 x 16 reads four numbers of a row at once and
// computes rows ty + 8 i, keys tx + 16 j, and context columns 4 tx .. + 3. A row's weights are read only by the warp that wrote
// them. Keys are copied while the last values are multiplied, and values while keys are.
//
// Kept weights are final only once the whole row was seen: each thread writes its masked scores to the output first and turns
// them into weights at the end.
#include "engine/backends/cuda/runtime/copies.h"
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kTile = 64, kThreads = 128, kWidth = 64, kAcross = 16, kDown = kThreads / kAcross;
// Floats from one row to the next: neighbouring rows begin 4 banks apart, rows of weights 16.
constexpr int kPitch = kWidth + 4, kPitchWeights = kTile + 16;

template <int Rows>  // rows of a thread
struct Layout {
  static constexpr int kQueries = Rows * kDown;
  static constexpr int kKeys = kQueries * kPitch, kValues = kKeys + kTile * kPitch, kWeights = kValues + kTile * kWidth;
  static constexpr int kEnd = kWeights + kQueries * kPitchWeights;
};

#if HL_COPIES

__device__ __forceinline__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }

// Starts the copies of `Count` rows of from [rows, width], from row0 on, zeros outside.
template <int Count, int Pitch>
__device__ __forceinline__ void fetch(float* to, const float* from, int row0, int rows, int width) {
  const int first = static_cast<int>(threadIdx.x) / (kWidth / 4), column = static_cast<int>(threadIdx.x) % (kWidth / 4) * 4;
  const int left = column < width ? rows - row0 - first : 0;  // rows from the thread's first one on
  const float* const at = from + (std::int64_t{row0} + first) * width + column;
  to += first * Pitch + column;
#pragma unroll
  for (int n = 0; n < Count * kWidth / 4; n += kThreads) {
    const int row = n / (kWidth / 4);
    copy_4_floats(to + row * Pitch, row < left ? at + row * width : from, row < left);
  }
}

// The part of a call that a thread works on.
struct Spot {
  std::int64_t row0;  // index of the block's first query in [batch, heads, queries]
  int b, h, query0, tx, ty;
};

// s [Rows][4] = raw scores: products of rows of queries and keys.
template <int Rows>
__device__ __forceinline__ void multiply_keys(const float* queries, const float* keys, int d_k, const Spot& at,
                                              float (&s)[Rows][4]) {
  const float *const x_row = queries + at.ty * kPitch, *const y_row = keys + at.tx * kPitch;
#pragma unroll
  for (int i = 0; i < Rows; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) s[i][j] = 0.0f;
  }
#pragma unroll 1
  for (int k = 0; k < d_k; k += 4) {
    float4 y[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) y[j] = four(y_row + 16 * j * kPitch + k);
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      const float4 x = four(x_row + kDown * i * kPitch + k);
#pragma unroll
      for (int j = 0; j < 4; ++j) s[i][j] += x.x * y[j].x;
#pragma unroll
      for (int j = 0; j < 4; ++j) s[i][j] += x.y * y[j].y;
#pragma unroll
      for (int j = 0; j < 4; ++j) s[i][j] += x.z * y[j].z;
#pragma unroll
      for (int j = 0; j < 4; ++j) s[i][j] += x.w * y[j].w;
    }
  }
}

// Where the weights of a row are kept.
__device__ __forceinline__ float* kept_row(const AttentionCall& c, const Spot& at, int row) {
  return c.weights + (at.row0 + row) * c.keys;
}

// The thread's four keys of a row become weights relative to the row's largest score so far, and are stored. m, the maximum, and
// total, the thread's own part of the sum, go on; the context, made with the old maximum, is corrected.
template <bool Maps, bool Masked>
__device__ __forceinline__ void weigh_row(const AttentionCall& c, const Spot& at, int row, int key0, float (&s)[4], float& m,
                                          float& total, float (&context)[4], float* weights) {
  const bool row_there = at.query0 + row < static_cast<int>(c.queries);
  float* const kept = Maps ? kept_row(c, at, row) + key0 + at.tx : nullptr;
  float largest = minus_infinity();
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int key = key0 + at.tx + 16 * j;
    const bool there = key < static_cast<int>(c.keys);
    s[j] *= c.scale;
    if (!there) {
      s[j] = minus_infinity();
    } else if (Masked && row_there) {
      s[j] = masked_score(s[j], c.keep, c.bias, mask_cell(c.mask_step, at.b, at.h, at.query0 + row, key), c.fill);
    }
    if (Maps && row_there && there) kept[16 * j] = s[j];
    largest = fmaxf(largest, s[j]);
  }
  const float next = fmaxf(m, lanes_largest(largest, kAcross));
  const float from = next == minus_infinity() ? 0.0f : next;  // only -inf was seen so far: every weight is 0
  const float correction = expf((m - from) * c.inverse_temperature);
  m = next;
  total *= correction;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    context[j] *= correction;
    const float weight = expf((s[j] - from) * c.inverse_temperature);
    total += weight;
    weights[16 * j] = weight;
  }
}

// context [Rows][4] += weights values, over the first `keys` keys of a tile.
template <int Rows>
__device__ __forceinline__ void multiply_values(const float* weights, const float* values, int keys, const Spot& at,
                                                float (&context)[Rows][4]) {
  const float *const w_row = weights + at.ty * kPitchWeights, *const y_column = values + 4 * at.tx;
#pragma unroll 1
  for (int k = 0; k < keys; k += 4) {
    float4 y[4];
#pragma unroll
    for (int n = 0; n < 4; ++n) y[n] = four(y_column + (k + n) * kWidth);
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      const float4 w = four(w_row + kDown * i * kPitchWeights + k);
      const float each[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        context[i][0] += each[n] * y[n].x;
        context[i][1] += each[n] * y[n].y;
        context[i][2] += each[n] * y[n].z;
        context[i][3] += each[n] * y[n].w;
      }
    }
  }
}

// Turns the masked scores of a row, those that this thread wrote, into weights.
__device__ __forceinline__ void finish_row(const AttentionCall& c, const Spot& at, int row, float m, float inverse) {
  const int keys = static_cast<int>(c.keys);
  float* const to = kept_row(c, at, row);
#pragma unroll 8
  for (int key = at.tx; key < keys; key += kAcross) to[key] = weight_of(to[key], m, c.inverse_temperature) * inverse;
}

#endif

// Maps: the weights are kept. Masked: keep or bias is given.
template <int Rows, bool Maps, bool Masked>
__global__ void __launch_bounds__(kThreads, Rows == 8 ? (Maps ? 2 : 3) : 4) attention_fused(AttentionCall c, int query_tiles) {
#if HL_COPIES
  using L = Layout<Rows>;
  HL_DYNAMIC_SHARED(float, memory);
  float *const keys = memory + L::kKeys, *const values = memory + L::kValues, *const weights = memory + L::kWeights;
  const std::int64_t item = blockIdx.x / static_cast<unsigned>(query_tiles);
  Spot at{};
  at.b = static_cast<int>(item / c.heads);
  at.h = static_cast<int>(item % c.heads);
  at.query0 = static_cast<int>(blockIdx.x % static_cast<unsigned>(query_tiles)) * L::kQueries;
  at.row0 = item * c.queries + at.query0;
  at.tx = static_cast<int>(threadIdx.x) % kAcross;
  at.ty = static_cast<int>(threadIdx.x) / kAcross;
  const int d_k = static_cast<int>(c.d_k), d_v = static_cast<int>(c.d_v), all = static_cast<int>(c.keys);
  const std::int64_t line = at.b * c.kv_heads + at.h / (c.heads / c.kv_heads);
  const float *const k = c.k + line * c.keys * c.d_k, *const v = c.v + line * c.keys * c.d_v;

  fetch<L::kQueries, kPitch>(memory, c.q + item * c.queries * c.d_k, at.query0, static_cast<int>(c.queries), d_k);
  fetch<kTile, kPitch>(keys, k, 0, all, d_k);
  end_group_of_copies();
  fetch<kTile, kWidth>(values, v, 0, all, d_v);
  end_group_of_copies();

  float context[Rows][4], m[Rows], total[Rows];
#pragma unroll
  for (int i = 0; i < Rows; ++i) {
    m[i] = minus_infinity();
    total[i] = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; ++j) context[i][j] = 0.0f;
  }
#pragma unroll 1
  for (int key0 = 0; key0 < all; key0 += kTile) {
    wait_for_groups_of_copies<1>();
    __syncthreads();  // the keys have arrived
    float s[Rows][4];
    multiply_keys<Rows>(memory, keys, d_k, at, s);
    __syncthreads();  // every thread has finished with the keys
    const bool is_last = key0 + kTile >= all;
    if (!is_last) fetch<kTile, kPitch>(keys, k, key0 + kTile, all, d_k);
    end_group_of_copies();
#pragma unroll
    for (int i = 0; i < Rows; ++i)
      weigh_row<Maps, Masked>(c, at, at.ty + kDown * i, key0, s[i], m[i], total[i], context[i],
                              weights + (at.ty + kDown * i) * kPitchWeights + at.tx);
    wait_for_groups_of_copies<1>();
    __syncthreads();  // the values have arrived, and the weights are stored
    multiply_values<Rows>(weights, values, is_last ? all - key0 : kTile, at, context);
    __syncthreads();  // every thread has finished with the values
    if (!is_last) fetch<kTile, kWidth>(values, v, key0 + kTile, all, d_v);
    end_group_of_copies();
  }
#pragma unroll
  for (int i = 0; i < Rows; ++i) {
    const float inverse = inverse_of(lanes_sum(total[i], kAcross));
    const int query = at.query0 + at.ty + kDown * i;
    if (query >= static_cast<int>(c.queries)) continue;
    if (Maps) finish_row(c, at, at.ty + kDown * i, m[i], inverse);
    if (4 * at.tx >= d_v) continue;
    *reinterpret_cast<float4*>(c.context + (item * c.queries + query) * c.d_v + 4 * at.tx) =
        make_float4(context[i][0] * inverse, context[i][1] * inverse, context[i][2] * inverse, context[i][3] * inverse);
  }
#endif
}

bool aligned(const void* at) { return reinterpret_cast<std::uintptr_t>(at) % sizeof(float4) == 0; }

template <int Rows>
cudaError_t launch_rows(const AttentionCall& c, const Place& place) {
  const std::int64_t query_tiles = tiles_of(c.queries, Layout<Rows>::kQueries);
  const bool masked = c.keep || c.bias;
  const auto kernel = c.weights ? (masked ? attention_fused<Rows, true, true> : attention_fused<Rows, true, false>)
                                : (masked ? attention_fused<Rows, false, true> : attention_fused<Rows, false, false>);
  return launch(kernel, dim3(static_cast<unsigned>(c.batch * c.heads * query_tiles)), dim3(kThreads),
                Layout<Rows>::kEnd * sizeof(float), place.stream, c, static_cast<int>(query_tiles));
}

}  // namespace

cudaError_t launch_attention_fused(const AttentionCall& c, const Place& place, bool* fits) {
  *fits = !c.scores && !c.scaled && !c.masked && place.code >= 80 && c.d_k % 4 == 0 && c.d_v % 4 == 0 && c.d_k <= kWidth &&
          c.d_v <= kWidth && c.keys > 0 && c.keys < (1 << 30) && c.queries < (1 << 30) &&
          c.batch * c.heads * tiles_of(c.queries, 32) < (std::int64_t{1} << 31) && aligned(c.q) && aligned(c.k) && aligned(c.v) &&
          aligned(c.context) && Layout<8>::kEnd * sizeof(float) <= place.shared;
  if (!*fits) return cudaSuccess;
  // Small blocks read more from shared memory for each product, but up to six of them divide a text more evenly and hide each
  // other's waits.
  const std::int64_t large = c.batch * c.heads * tiles_of(c.queries, 64);
  return large <= 2 * place.multiprocessors ? launch_rows<4>(c, place) : launch_rows<8>(c, place);
}

}  // namespace headlight::backends::cuda
