// Attention, the plain form: one block per query row, heads of any size. The fast kernels are checked against this one.
//   scores = q k^T; scaled = scores * scale; masked = mask ? scaled : fill; weights = softmax(masked / T); context = weights v
//   q [batch, heads, queries, d_k], k, v [batch, kv_heads, keys, d_k or d_v] -> context [.., queries, d_v], each kept [.., keys]
//
// A block reads the keys in chunks of one key per thread. The softmax keeps a running maximum and sum, which are corrected when a
// larger score appears. So no row of scores is stored unless it is an output.

#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 128;

struct Row {
  std::int64_t b, h, query;
  const float *k, *v;
};
// The raw, scaled and masked score of one key.
struct Scores {
  float raw, scaled, masked;
};
__device__ Scores score(const AttentionCall& c, const Row& row, const float* q, std::int64_t key) {
  Scores s;
  s.raw = 0.0f;
  for (std::int64_t i = 0; i < c.d_k; ++i) s.raw += q[i] * row.k[key * c.d_k + i];
  s.scaled = s.raw * c.scale;
  s.masked = masked_score(s.scaled, c.keep, c.bias, mask_cell(c.mask_step, row.b, row.h, row.query, key), c.fill);
  return s;
}

// The largest value (NaN ignored) or the sum over the block; every thread gets the same result.
template <bool largest>
__device__ float reduce(float value, float* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float a = shared[threadIdx.x], b = shared[threadIdx.x + half];
      shared[threadIdx.x] = largest ? fmaxf(a, b) : a + b;
    }
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();
  return result;
}

__global__ void __launch_bounds__(kThreads, 4) attention_simple(AttentionCall c) {
  HL_DYNAMIC_SHARED(float, memory);
  float* const q = memory;            // [d_k]
  float* const sums = q + c.d_k;      // [d_v]
  float* const parts = sums + c.d_v;  // [kThreads]
  float* const shared = parts + kThreads;
  const std::int64_t group = c.heads / c.kv_heads;
  for (std::int64_t index = blockIdx.x; index < c.batch * c.heads * c.queries; index += gridDim.x) {
    Row row;
    row.query = index % c.queries;
    row.h = index / c.queries % c.heads;
    row.b = index / c.queries / c.heads;
    row.k = c.k + (row.b * c.kv_heads + row.h / group) * c.keys * c.d_k;
    row.v = c.v + (row.b * c.kv_heads + row.h / group) * c.keys * c.d_v;
    for (std::int64_t i = threadIdx.x; i < c.d_k; i += kThreads) q[i] = c.q[index * c.d_k + i];
    for (std::int64_t i = threadIdx.x; i < c.d_v; i += kThreads) sums[i] = 0.0f;
    __syncthreads();

    float m = minus_infinity();
    float total = 0.0f;
    for (std::int64_t first = 0; first < c.keys; first += kThreads) {
      const std::int64_t key = first + threadIdx.x;
      float x = minus_infinity();
      if (key < c.keys) {
        const Scores s = score(c, row, q, key);
        const std::int64_t at = index * c.keys + key;
        if (c.scores) c.scores[at] = s.raw;
        if (c.scaled) c.scaled[at] = s.scaled;
        if (c.masked) c.masked[at] = s.masked;
        x = s.masked;
      }
      const float next = fmaxf(m, reduce<true>(x, shared));
      const float correction = correction_of(m, next, c.inverse_temperature);
      const float e = key < c.keys ? weight_of(x, next, c.inverse_temperature) : 0.0f;
      parts[threadIdx.x] = e;
      total = total * correction + reduce<false>(e, shared);
      const std::int64_t here = smaller(c.keys - first, kThreads);
      for (std::int64_t i = threadIdx.x; i < c.d_v; i += kThreads) {
        float sum = sums[i] * correction;
        for (std::int64_t j = 0; j < here; ++j) sum += parts[j] * row.v[(first + j) * c.d_v + i];
        sums[i] = sum;
      }
      m = next;
      __syncthreads();
    }
    const float inverse = inverse_of(total);
    for (std::int64_t i = threadIdx.x; i < c.d_v; i += kThreads) c.context[index * c.d_v + i] = sums[i] * inverse;
    if (c.weights) {
      for (std::int64_t key = threadIdx.x; key < c.keys; key += kThreads) {
        c.weights[index * c.keys + key] = weight_of(score(c, row, q, key).masked, m, c.inverse_temperature) * inverse;
      }
    }
    __syncthreads();
  }
}

}  // namespace

cudaError_t launch_attention_simple(const AttentionCall& c, const Place& place) {
  const std::size_t shared = static_cast<std::size_t>(c.d_k + c.d_v + 2 * kThreads) * sizeof(float);
  if (shared > place.shared) return cudaErrorInvalidConfiguration;  // heads wider than about 5,900 where a block has 48 KiB
  return launch(attention_simple, dim3(blocks_for(c.batch * c.heads * c.queries, 1)), dim3(kThreads), shared, place.stream, c);
}

}  // namespace headlight::backends::cuda
