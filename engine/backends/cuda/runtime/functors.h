// The arithmetic of one cell, row or index of the CUDA kernels, as functions that the host compiles too. So unit tests can
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

// ActivationKind by number: none, relu, gelu = x/2 (1 + erf(x / sqrt 2)), tanh.
HL_HD float activate(int activation, float x) {
  switch (activation) {
    case 1: return x < 0.0f ? 0.0f : x;
    case 2: return 0.5f * x * erfcf(-x * 0.70710678f);  // erfc keeps the digits of the left tail
    case 3: return tanhf(x);
    default: return x;
  }
}

// --- softmax of a row, one part at a time -----------------------------------------------------------------------------------
// e^((x - m) / T), m the row's largest score so far. If only -inf was seen it is 0, or NaN for a NaN.
HL_HD float weight_of(float x, float m, float inverse_temperature) {
  if (m == minus_infinity()) return x != x ? x : 0.0f;
  return expf((x - m) * inverse_temperature);
}
// The factor by which sums made with the old maximum are multiplied when a larger one is found.
HL_HD float correction_of(float old_m, float new_m, float inverse_temperature) {
  return old_m == minus_infinity() ? 1.0f : expf((old_m - new_m) * inverse_temperature);
}
// A fully masked row has the sum 0; its weights are defined as zeros (backend.h).
HL_HD float inverse_of(float total) { return total == 0.0f ? 0.0f : 1.0f / total; }

// The largest score and the sum of weights of a part of a row. The states of two parts combine into one (Milakov and Gimelshein
// 2018).
struct RowState {
  float m, total;
};
HL_HD RowState empty_row() { return {minus_infinity(), 0.0f}; }
HL_HD RowState merged(RowState a, RowState b, float inverse_temperature) {
  const float m = fmaxf(a.m, b.m);
  return {m, a.total * correction_of(a.m, m, inverse_temperature) + b.total * correction_of(b.m, m, inverse_temperature)};
}

// --- indices ----------------------------------------------------------------------------------------------------------------
// The cell of a mask [batch, head, query, key]; its step is 0 on axes of size 1.
HL_HD std::int64_t mask_cell(const std::int64_t* step, std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) {
  return b * step[0] + h * step[1] + query * step[2] + key * step[3];
}
// Applies the mask to a scaled score: where `keep` is given, its byte decides between score and fill; else `bias` is added, if
// given.
HL_HD float masked_score(float scaled, const std::uint8_t* keep, const float* bias, std::int64_t cell, float fill) {
  if (keep && !keep[cell]) return fill;
  return bias ? scaled + bias[cell] : scaled;
}

// Where element i of [batch, length, heads, d_k] lies in [batch, heads, length, d_k].
HL_HD std::int64_t apart_index(std::int64_t i, std::int64_t length, std::int64_t heads, std::int64_t d_k) {
  const std::int64_t k = i % d_k;
  const std::int64_t h = i / d_k % heads;
  const std::int64_t row = i / d_k / heads;
  return ((row / length * heads + h) * length + row % length) * d_k + k;
}

HL_HD std::int64_t tiles_of(std::int64_t count, std::int64_t tile) { return (count + tile - 1) / tile; }
HL_HD std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// --- layer normalisation ----------------------------------------------------------------------------------------------------
HL_HD float normalised(float x, float mean, float deviation, float gamma, float beta) {
  return gamma * (x - mean) / deviation + beta;
}

// --- index-based attention --------------------------------------------------------------------------------------------------
// The four terms of one cell of Q K^T, read from a head's table [width, width] of scores, width = n + l (S1 to S3): symbol with
// symbol, symbol with position, position with symbol, position with position.
struct Terms {
  float mm, mp, pm, pp;
};
// `Table`: a pointer, or an object that returns the number at an index.
template <class Table>
HL_HD Terms terms_of(const Table& table, std::int64_t width, std::int64_t n, std::int64_t symbol_i, std::int64_t i,
                     std::int64_t symbol_j, std::int64_t j) {
  const std::int64_t symbol = symbol_i * width, place = (n + i) * width;
  return {table[symbol + symbol_j], table[symbol + n + j], table[place + symbol_j], table[place + n + j]};
}
HL_HD float sum_of(Terms t) { return (t.mm + t.mp) + (t.pm + t.pp); }

}  // namespace headlight::backends::cuda
