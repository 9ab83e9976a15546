// Sums, products number by number and layer normalisation.
#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {
namespace {

// A row of N whole registers: read once, and what it is multiplied with is not divided by.
template <int N>
inline void norm_of(const float* x, const float* gamma, const float* beta, float epsilon, float* y) {
  constexpr auto kWidth = static_cast<float>(N * kLanes);
  V c[N];
  V sums = splat(0), squares = splat(0);
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) {
    c[i] = load(x + i * kLanes);
    sums += c[i];
  }
  const V mean = splat(beta ? sum_of(sums) / kWidth : 0.0f);
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) {
    c[i] -= mean;
    squares += c[i] * c[i];
  }
  const V inverse = splat(1.0f / __builtin_sqrtf(sum_of(squares) / kWidth + epsilon));
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) {
    const V scaled = load(gamma + i * kLanes) * (c[i] * inverse);
    store(y + i * kLanes, beta ? scaled + load(beta + i * kLanes) : scaled);
  }
}

// N registers of columns: their sums stay in registers while the rows go by.
template <int N>
inline void weighted_columns(const float* weights, const float* x, std::int64_t rows, std::int64_t ldx, std::int64_t last,
                             bool more, float* y) {
  V sums[N];
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) sums[i] = more ? load_some(y + i * kLanes, i + 1 < N ? kLanes : last) : splat(0);
  for (std::int64_t j = 0; j < rows; ++j)
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) sums[i] += weights[j] * load_some(x + j * ldx + i * kLanes, i + 1 < N ? kLanes : last);
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) store_some(y + i * kLanes, i + 1 < N ? kLanes : last, sums[i]);
}

}  // namespace

void add(const float* a, const float* b, std::int64_t count, float* y) {
  for_registers(count, [&](std::int64_t i, std::int64_t n) { store_some(y + i, n, load_some(a + i, n) + load_some(b + i, n)); });
}

void multiply_each(const float* a, const float* b, std::int64_t count, float* y) {
  for_registers(count, [&](std::int64_t i, std::int64_t n) { store_some(y + i, n, load_some(a + i, n) * load_some(b + i, n)); });
}

void layer_norm(const float* x, const float* gamma, const float* beta, std::int64_t d, float epsilon, float* y) {
  if (d == 4 * kLanes) return norm_of<4>(x, gamma, beta, epsilon, y);
  if (d == 2 * kLanes) return norm_of<2>(x, gamma, beta, epsilon, y);
  const float width = static_cast<float>(d);
  const float mean = beta ? sum_over(d, [&](std::int64_t i, std::int64_t n) { return load_some(x + i, n); }) / width : 0.0f;
  // Beyond the row's end the lanes are the mean, which adds nothing.
  const auto centred = [&](std::int64_t i, std::int64_t n) {
    return (n == kLanes ? load(x + i) : load_part(x + i, n, mean)) - splat(mean);
  };
  const float square = sum_over(d, [&](std::int64_t i, std::int64_t n) {
    const V c = centred(i, n);
    return c * c;
  });
  const V inverse = splat(1.0f / __builtin_sqrtf(square / width + epsilon));
  for_registers(d, [&](std::int64_t i, std::int64_t n) {
    const V scaled = load_some(gamma + i, n) * (centred(i, n) * inverse);
    store_some(y + i, n, beta ? scaled + load_some(beta + i, n) : scaled);
  });
}

void weighted_sum(const float* weights, const float* x, std::int64_t rows, std::int64_t ldx, std::int64_t d, bool more,
                  float* y) {
  std::int64_t column = 0;
  for (; column + 4 * kLanes <= d; column += 4 * kLanes)
    weighted_columns<4>(weights, x + column, rows, ldx, kLanes, more, y + column);
  for (; column < d; column += kLanes)
    weighted_columns<1>(weights, x + column, rows, ldx, d - column < kLanes ? d - column : kLanes, more, y + column);
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
