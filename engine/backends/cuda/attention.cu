// Attention, one block a query row. Keys come in chunks of one a thread; the softmax runs along with a maximum and a sum that are
// corrected as larger scores appear, so that without kept outputs no row of scores is ever stored.
#include "engine/backends/cuda/kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 128;

__device__ float minus_infinity() { return __int_as_float(0xff800000); }

struct Row {
  std::int64_t b, h, query, index;  // index: of the row in [batch, heads, queries]
  const float *k, *v;
};

// The raw, scaled and masked score of one key.
struct Scores {
  float raw, scaled, masked;
};
__device__ Scores score(const AttentionCall& c, const Row& row, const float* q, std::int64_t key) {
  Scores s;
  s.raw = 0;
  for (std::int64_t i = 0; i < c.d_k; ++i) s.raw += q[i] * row.k[key * c.d_k + i];
  s.scaled = s.raw * c.scale;
  s.masked = s.scaled;
  const std::int64_t cell = row.b * c.mask_step[0] + row.h * c.mask_step[1] + row.query * c.mask_step[2] + key * c.mask_step[3];
  if (c.keep && !c.keep[cell]) s.masked = c.fill;
  if (c.bias) s.masked = s.scaled + c.bias[cell];
  return s;
}

// Largest (NaN ignored) or sum over the block, the same in every thread.
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

// e^((x - m) / T); where nothing but -inf was seen, 0, or NaN for a NaN.
__device__ float weight(const AttentionCall& c, float x, float m) {
  if (m == minus_infinity()) return isnan(x) ? x : 0.0f;
  return expf((x - m) * c.inverse_temperature);
}

__global__ void attention(AttentionCall c) {
  extern __shared__ float memory[];
  float* q = memory;            // [d_k]
  float* sums = q + c.d_k;      // [d_v]
  float* parts = sums + c.d_v;  // [kThreads]
  float* shared = parts + kThreads;
  const std::int64_t group = c.heads / c.kv_heads;
  for (std::int64_t index = blockIdx.x; index < c.batch * c.heads * c.queries; index += gridDim.x) {
    Row row;
    row.index = index;
    row.query = index % c.queries;
    row.h = index / c.queries % c.heads;
    row.b = index / c.queries / c.heads;
    row.k = c.k + (row.b * c.kv_heads + row.h / group) * c.keys * c.d_k;
    row.v = c.v + (row.b * c.kv_heads + row.h / group) * c.keys * c.d_v;
    for (std::int64_t i = threadIdx.x; i < c.d_k; i += kThreads) q[i] = c.q[index * c.d_k + i];
    for (std::int64_t i = threadIdx.x; i < c.d_v; i += kThreads) sums[i] = 0;
    __syncthreads();

    float m = minus_infinity();
    float total = 0;
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
      const float correction = m == minus_infinity() ? 1.0f : expf((m - next) * c.inverse_temperature);
      const float e = key < c.keys ? weight(c, x, next) : 0.0f;
      parts[threadIdx.x] = e;
      total = total * correction + reduce<false>(e, shared);
      const std::int64_t here = c.keys - first < kThreads ? c.keys - first : kThreads;
      for (std::int64_t i = threadIdx.x; i < c.d_v; i += kThreads) {
        float sum = sums[i] * correction;
        for (std::int64_t j = 0; j < here; ++j) sum += parts[j] * row.v[(first + j) * c.d_v + i];
        sums[i] = sum;
      }
      m = next;
      __syncthreads();
    }
    // Every row with anything in it has total >= 1; 0 is a fully masked one, which is all zeros.
    const float inverse = total == 0.0f ? 0.0f : 1.0f / total;
    for (std::int64_t i = threadIdx.x; i < c.d_v; i += kThreads) c.context[index * c.d_v + i] = sums[i] * inverse;
    if (c.weights) {
      for (std::int64_t key = threadIdx.x; key < c.keys; key += kThreads) {
        c.weights[index * c.keys + key] = weight(c, score(c, row, q, key).masked, m) * inverse;
      }
    }
    __syncthreads();
  }
}

}  // namespace

cudaError_t launch_attention(const AttentionCall& call) {
  const std::size_t shared = static_cast<std::size_t>(call.d_k + call.d_v + 2 * kThreads) * sizeof(float);
  if (shared > (48u << 10)) return cudaErrorInvalidConfiguration;  // heads wider than about 5,900
  attention<<<blocks_for(call.batch * call.heads * call.queries, 1), kThreads, shared>>>(call);
  return cudaGetLastError();
}

}  // namespace headlight::backends::cuda
