// Attention with its two products on the tensor cores, in bf16 or tf32 (formula and shapes: attention_simple.cu; heads up to 128
// wide, compute capability 8.0 and later). Softmax, sums and context are float32; q, k, v and weights are rounded once each.
//
// A block of four warps takes 64 queries of one head, a warp 16 of them, and walks over the keys, 64 at a time. The queries'
// share of a warp stays in registers for good, and so do scores, weights and context: the accumulator of scores becomes, register
// by register, the operand of the second product. Only keys and values pass through shared memory, already rounded.
//   lane 4 g + t: rows g and g + 8 of the warp's 16; of each tile of 8 keys (or 8 columns) the ones numbered 2 t and 2 t + 1
#include "engine/backends/cuda/kernels.h"
#include "engine/backends/cuda/tensor_core.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kTile = 64, kThreads = 128;

#if HL_TENSOR_CORES
__device__ float at_or_zero(const float* from, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t width) {
  return row < rows && column < width ? from[row * width + column] : 0.0f;
}
#endif

// D: 64 or 128, at least d_k and d_v; what is beyond them is zero.
template <bool Bf16, int D>
__global__ void __launch_bounds__(kThreads) attention_tensor(AttentionCall c, std::int64_t query_tiles) {
#if HL_TENSOR_CORES
  constexpr int kWarps = kThreads / 32;
  constexpr int kStep = Bf16 ? 16 : 8;  // numbers of `inner` a product takes
  constexpr int kSteps = D / kStep;
  constexpr int kKeyWords = Bf16 ? D / 2 : D;              // 32-bit words of a key's row
  constexpr int kKeyRow = kKeyWords + 4;                   // 4 more: the eight rows a warp reads at once lie in different banks
  constexpr int kValueRow = Bf16 ? kTile / 2 + 4 : D + 4;  // bf16: values turned, [D][pairs of keys]; tf32: [key][D]
  HL_DYNAMIC_SHARED(std::uint32_t, memory);
  std::uint32_t* const key_tile = memory;                                                       // [64][kKeyRow]
  std::uint32_t* const value_tile = key_tile + kTile * kKeyRow;                                 // [D or 64][kValueRow]
  float* const states = reinterpret_cast<float*>(value_tile + (Bf16 ? D : kTile) * kValueRow);  // [64] maxima, [64] inverse sums
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32, g = lane / 4, t = lane % 4;
  const std::int64_t group = c.heads / c.kv_heads;

  for (std::int64_t tile = blockIdx.x; tile < c.batch * c.heads * query_tiles; tile += gridDim.x) {
    const std::int64_t query0 = tile % query_tiles * kTile, item = tile / query_tiles;
    const std::int64_t h = item % c.heads, b = item / c.heads;
    const float* q = c.q + item * c.queries * c.d_k;
    const float* k = c.k + (b * c.kv_heads + h / group) * c.keys * c.d_k;
    const float* v = c.v + (b * c.kv_heads + h / group) * c.keys * c.d_v;
    const std::int64_t first = query0 + 16 * warp + g;  // this lane's rows: first, first + 8

    std::uint32_t queries[kSteps][4];
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::int64_t row = first + i % 2 * 8;
        if (Bf16) {
          const int column = s * 16 + 2 * t + i / 2 * 8;
          queries[s][i] =
              bf16_pair(at_or_zero(q, row, c.queries, column, c.d_k), at_or_zero(q, row, c.queries, column + 1, c.d_k));
        } else {
          queries[s][i] = tf32(at_or_zero(q, row, c.queries, s * 8 + t + i / 2 * 4, c.d_k));
        }
      }
    }

    float context[D / 8][4], m[2] = {minus_infinity(), minus_infinity()}, total[2] = {0.0f, 0.0f};
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) context[n][i] = 0.0f;
    }

    for (std::int64_t key0 = 0; key0 < c.keys; key0 += kTile) {
      __syncthreads();  // the last tile is done with
      if (Bf16) {
        for (int i = thread; i < kTile * D / 2; i += kThreads) {
          const int row = i / (D / 2), column = i % (D / 2) * 2;
          key_tile[row * kKeyRow + column / 2] =
              bf16_pair(at_or_zero(k, key0 + row, c.keys, column, c.d_k), at_or_zero(k, key0 + row, c.keys, column + 1, c.d_k));
        }
        for (int unit = warp; unit < D / 8 * (kTile / 8); unit += kWarps) {  // a warp: 8 columns, 4 pairs of keys
          const int column = unit % (D / 8) * 8 + lane % 8, pair = unit / (D / 8) * 4 + lane / 8;
          value_tile[column * kValueRow + pair] = bf16_pair(at_or_zero(v, key0 + 2 * pair, c.keys, column, c.d_v),
                                                            at_or_zero(v, key0 + 2 * pair + 1, c.keys, column, c.d_v));
        }
      } else {
        for (int i = thread; i < kTile * D; i += kThreads) {
          const int row = i / D, column = i % D;
          key_tile[row * kKeyRow + column] = tf32(at_or_zero(k, key0 + row, c.keys, column, c.d_k));
          value_tile[row * kValueRow + column] = tf32(at_or_zero(v, key0 + row, c.keys, column, c.d_v));
        }
      }
      __syncthreads();

      float s[kTile / 8][4];
#pragma unroll
      for (int n = 0; n < kTile / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) s[n][i] = 0.0f;
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
          const std::uint32_t* const row = key_tile + (n * 8 + g) * kKeyRow;
          const std::uint32_t keys[2] = {row[step * 8 + t], row[step * 8 + t + 4]};  // the same words in both precisions
          if (Bf16) {
            mma_bf16(s[n], queries[step], keys);
          } else {
            mma_tf32(s[n], queries[step], keys);
          }
        }
      }

#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int64_t query = first + 8 * half;
        const bool row_there = query < c.queries;
        const std::int64_t row = (item * c.queries + query) * c.keys;
        float largest = minus_infinity();
#pragma unroll
        for (int n = 0; n < kTile / 8; ++n) {
#pragma unroll
          for (int j = 0; j < 2; ++j) {
            float& x = s[n][2 * half + j];
            const std::int64_t key = key0 + n * 8 + 2 * t + j;
            if (row_there && key < c.keys) {
              if (c.scores) c.scores[row + key] = x;
              x *= c.scale;
              if (c.scaled) c.scaled[row + key] = x;
              x = masked_score(x, c.keep, c.bias, mask_cell(c.mask_step, b, h, query, key), c.fill);
              if (c.masked) c.masked[row + key] = x;
              if (c.weights) c.weights[row + key] = x;
            } else {
              x = minus_infinity();
            }
            largest = fmaxf(largest, x);
          }
        }
        const float next = fmaxf(m[half], lanes_largest(largest, 4));
        const float correction = correction_of(m[half], next, c.inverse_temperature);
        float part = 0.0f;
#pragma unroll
        for (int n = 0; n < kTile / 8; ++n) {
#pragma unroll
          for (int j = 0; j < 2; ++j) {
            float& x = s[n][2 * half + j];
            x = weight_of(x, next, c.inverse_temperature);  // 0 for keys that are not there: they are -inf
            part += x;
          }
        }
        total[half] = total[half] * correction + lanes_sum(part, 4);
        m[half] = next;
#pragma unroll
        for (int n = 0; n < D / 8; ++n) {
          context[n][2 * half] *= correction;
          context[n][2 * half + 1] *= correction;
        }
      }

      if (Bf16) {
#pragma unroll
        for (int step = 0; step < kTile / 16; ++step) {
          const std::uint32_t weights[4] = {bf16_pair(s[2 * step][0], s[2 * step][1]), bf16_pair(s[2 * step][2], s[2 * step][3]),
                                            bf16_pair(s[2 * step + 1][0], s[2 * step + 1][1]),
                                            bf16_pair(s[2 * step + 1][2], s[2 * step + 1][3])};
#pragma unroll
          for (int n = 0; n < D / 8; ++n) {
            const std::uint32_t* const column = value_tile + (n * 8 + g) * kValueRow + step * 8 + t;
            const std::uint32_t values[2] = {column[0], column[4]};
            mma_bf16(context[n], weights, values);
          }
        }
      } else {
#pragma unroll
        for (int step = 0; step < kTile / 8; ++step) {
          // The order of keys within a product is free: slot t takes key 2 t, slot t + 4 key 2 t + 1, where the scores already
          // are.
          const std::uint32_t weights[4] = {tf32(s[step][0]), tf32(s[step][2]), tf32(s[step][1]), tf32(s[step][3])};
#pragma unroll
          for (int n = 0; n < D / 8; ++n) {
            const std::uint32_t* const rows = value_tile + (step * 8 + 2 * t) * kValueRow + n * 8 + g;
            const std::uint32_t values[2] = {rows[0], rows[kValueRow]};
            mma_tf32(context[n], weights, values);
          }
        }
      }
    }

#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float inverse = inverse_of(total[half]);
      if (t == 0) {
        states[16 * warp + g + 8 * half] = m[half];
        states[kTile + 16 * warp + g + 8 * half] = inverse;
      }
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
    __syncthreads();  // states and masked scores of all lanes are there
    if (c.weights) {
      for (std::int64_t row = warp; row < smaller(c.queries - query0, kTile); row += kWarps) {
        float* const weights = c.weights + (item * c.queries + query0 + row) * c.keys;
        const float largest = states[row], inverse = states[kTile + row];
        for (std::int64_t key = lane; key < c.keys; key += 32)
          weights[key] = weight_of(weights[key], largest, c.inverse_temperature) * inverse;
      }
    }
    __syncthreads();
  }
#endif
}

template <bool Bf16, int D>
cudaError_t launch_as(const AttentionCall& c, const Place& place, bool* fits) {
  constexpr std::size_t words = Bf16 ? kTile * (D / 2 + 4) + D * (kTile / 2 + 4) : 2 * kTile * (D + 4);
  constexpr std::size_t bytes = (words + 2 * kTile) * sizeof(float);
  *fits = bytes <= place.shared;
  if (!*fits) return cudaSuccess;
  const std::int64_t query_tiles = tiles_of(c.queries, kTile), blocks = c.batch * c.heads * query_tiles;
  return launch(attention_tensor<Bf16, D>, dim3(static_cast<unsigned>(smaller(blocks, 1 << 30))), dim3(kThreads), bytes,
                place.stream, c, query_tiles);
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
