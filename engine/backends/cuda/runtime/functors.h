// The arithmetic of one cell, row or index of the CUDA kernels, as functions that the host compiles too. Unit tests can thus
// compare every formula of the kernels with plain loops in double on machines without a GPU.
#pragma once

#include <cmath>
#include <cstdint>

#if defined(__CUDACC__)
#define HL_HD __host__ __device__ __forceinline__
#else
#define HL_HD inline
#endif

namespace headlight::backends::cuda {

HL_HD float minus_infinity() { return -INFINITY; }

// The activation with the number of an ActivationKind: 0 none, 1 relu, 2 gelu = x/2 (1 + erf(x / sqrt 2)), 3 tanh.
// activate(1, -2) is 0.
HL_HD float activate(int activation, float x) {
  switch (activation) {
    case 1: return x < 0.0f ? 0.0f : x;
    case 2: return 0.5f * x * erfcf(-x * 0.70710678f);  // erfc keeps the digits of the left tail
    case 3: return tanhf(x);
    default: return x;
  }
}

// The same for every ActivationKind, also 4 silu = x / (1 + e^-x) and 5 gelu_tanh = x/2 (1 + tanh(u)), u = sqrt(2 / pi)
// (x + 0.044715 x^3). The kernels of products apply only the four above. activate_any(4, 0) is 0.
HL_HD float activate_any(int activation, float x) {
  switch (activation) {
    case 4: return x / (1.0f + expf(-x));
    case 5: return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    default: return activate(activation, x);
  }
}
// The derivative of activate_any; 0 for ReLU at 0. activation_slope(1, 3) is 1.
HL_HD float activation_slope(int activation, float x) {
  switch (activation) {
    case 1: return x > 0.0f ? 1.0f : 0.0f;
    case 2: return 0.5f * erfcf(-x * 0.70710678f) + x * expf(-0.5f * x * x) * 0.39894228f;
    case 3: {
      const float y = tanhf(x);
      return 1.0f - y * y;
    }
    case 4: {
      const float gate = 1.0f / (1.0f + expf(-x));
      return gate * (1.0f + x * (1.0f - gate));
    }
    case 5: {
      const float t = tanhf(0.79788456f * (x + 0.044715f * x * x * x));
      return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * 0.79788456f * (1.0f + 0.134145f * x * x);
    }
    default: return 1.0f;
  }
}

// --- dropout, with the decisions of operations::Draws, bit by bit -------------------------------------------------------------
HL_HD std::uint64_t mixed_bits(std::uint64_t x) {  // the finalizer of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}
// The key of a seed and a counter, from a Fingerprint of both. draw_key(seed, 3): the key of draws whose counter is 3.
HL_HD std::uint32_t draw_key(std::uint64_t seed, std::int32_t counter) {
  const std::uint64_t parts[2] = {seed, static_cast<std::uint64_t>(static_cast<std::int64_t>(counter))};
  std::uint64_t a = 0x6a09e667f3bcc908ULL, b = 0xbb67ae8584caa73bULL;
  for (int i = 0; i < 2; ++i) {
    a = mixed_bits(a ^ parts[i]) + 0x9e3779b97f4a7c15ULL;
    b = mixed_bits(b + parts[i] * 0xd1342543de82ef95ULL) ^ 0xcbf29ce484222325ULL;
  }
  return static_cast<std::uint32_t>(a ^ (b * 0x9e3779b97f4a7c15ULL));
}
// Whether dropout keeps place `at`. is_kept(key, 0, at) is true: a threshold of 0 drops nothing.
HL_HD bool is_kept(std::uint32_t key, std::uint32_t threshold, std::int64_t at) {
  std::uint32_t x = static_cast<std::uint32_t>(at) ^ key;
  x ^= x >> 16;
  x *= 0x85ebca6bU;
  x ^= x >> 13;
  x *= 0xc2b2ae35U;
  x ^= x >> 16;
  return x >= threshold;
}

// --- softmax of a row, one part at a time -----------------------------------------------------------------------------------
// The weight e^((x - m) / T) of a score x, where m is the row's largest score so far. If m is -inf, the weight is 0, or NaN for a
// NaN. weight_of(3, 3, 1) is 1.
HL_HD float weight_of(float x, float m, float inverse_temperature) {
  if (m == minus_infinity()) return x != x ? x : 0.0f;
  return expf((x - m) * inverse_temperature);
}
// The factor that corrects sums made with the old maximum when a larger maximum is found. correction_of(1, 3, 1) is e^-2.
HL_HD float correction_of(float old_m, float new_m, float inverse_temperature) {
  return old_m == minus_infinity() ? 1.0f : expf((old_m - new_m) * inverse_temperature);
}
// The inverse of a row's sum of weights. A fully masked row has the sum 0; its weights are defined as zeros
// (operations/attention.h).
HL_HD float inverse_of(float total) { return total == 0.0f ? 0.0f : 1.0f / total; }

// The largest score m and the sum of weights of a part of a row. merged() combines the states of two parts (Milakov and
// Gimelshein 2018). merged({0, 1}, {0, 1}, 1) is {0, 2}.
struct RowState {
  float m, total;
};
HL_HD RowState empty_row() { return {minus_infinity(), 0.0f}; }
HL_HD RowState merged(RowState a, RowState b, float inverse_temperature) {
  const float m = fmaxf(a.m, b.m);
  return {m, a.total * correction_of(a.m, m, inverse_temperature) + b.total * correction_of(b.m, m, inverse_temperature)};
}

// --- indices ----------------------------------------------------------------------------------------------------------------
// The index of a cell in a mask [batch, head, query, key]; step[axis] is 0 on axes of size 1. In a causal mask [1, 1, 5, 5],
// whose steps are 0, 0, 5, 1, mask_cell(step, 7, 2, 3, 4) is 19.
HL_HD std::int64_t mask_cell(const std::int64_t* step, std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) {
  return b * step[0] + h * step[1] + query * step[2] + key * step[3];
}
// Applies masks to a scaled score: the score is `fill` if keep[cell] is 0, else the score plus bias[cell]. Both may be null.
// masked_score(x, nullptr, nullptr, 0, fill) is x.
HL_HD float masked_score(float scaled, const std::uint8_t* keep, const float* bias, std::int64_t cell, float fill) {
  if (keep && !keep[cell]) return fill;
  return bias ? scaled + bias[cell] : scaled;
}

// The index in [batch, heads, length, d_k] of element i of [batch, length, heads, d_k]. The first number of
// the second head: apart_index(16, 10, 4, 16) is 160.
HL_HD std::int64_t apart_index(std::int64_t i, std::int64_t length, std::int64_t heads, std::int64_t d_k) {
  const std::int64_t k = i % d_k;
  const std::int64_t h = i / d_k % heads;
  const std::int64_t row = i / d_k / heads;
  return ((row / length * heads + h) * length + row % length) * d_k + k;
}

// The number of tiles that cover `count`: tiles_of(100, 64) is 2.
HL_HD std::int64_t tiles_of(std::int64_t count, std::int64_t tile) { return (count + tile - 1) / tile; }
HL_HD std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// --- layer normalisation ----------------------------------------------------------------------------------------------------
// normalised(3, 1, 2, 1, 0) is (3 - 1) / 2 = 1.
HL_HD float normalised(float x, float mean, float deviation, float gamma, float beta) {
  return gamma * (x - mean) / deviation + beta;
}

// --- index-based attention --------------------------------------------------------------------------------------------------
// The four terms of one cell (i, j) of Q K^T (S1 to S3): mm symbol with symbol, mp symbol with position, pm position with symbol,
// pp position with position.
struct Terms {
  float mm, mp, pm, pp;
};
// Reads the terms from a head's table [width, width] of scores, width = n + l. `table` is a pointer, or an object that returns
// the number at an index. terms_of(table, n + l, n, ids[i], i, ids[j], j): the terms of query i and key j of a word.
template <class Table>
HL_HD Terms terms_of(const Table& table, std::int64_t width, std::int64_t n, std::int64_t symbol_i, std::int64_t i,
                     std::int64_t symbol_j, std::int64_t j) {
  const std::int64_t symbol = symbol_i * width, place = (n + i) * width;
  return {table[symbol + symbol_j], table[symbol + n + j], table[place + symbol_j], table[place + n + j]};
}
HL_HD float sum_of(Terms t) { return (t.mm + t.mp) + (t.pm + t.pp); }

}  // namespace headlight::backends::cuda
