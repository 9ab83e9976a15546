// Products of matrices so small that it does not pay to pack one of them: B is read where it lies, A by any two steps, so that a
// matrix need not be turned either. Each number of C is one chain of multiply-adds in the order of `inner`, as in product.cpp.
#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {
namespace {

struct Strides {
  std::int64_t a_row, a_step, b, c;
};

// R rows and W registers of C, the last one with `last` numbers.
template <int R, int W>
void tile(std::int64_t inner, std::int64_t last, const float* __restrict a, const float* __restrict b, const Strides& by,
          bool more, float* __restrict c) {
  V sums[R][W];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int w = 0; w < W; ++w) sums[r][w] = more ? load_some(c + r * by.c + w * kLanes, w + 1 < W ? kLanes : last) : splat(0);
  for (std::int64_t k = 0; k < inner; ++k) {
    V right[W];
#pragma GCC unroll 2
    for (int w = 0; w < W; ++w) right[w] = load_some(b + k * by.b + w * kLanes, w + 1 < W ? kLanes : last);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const float x = a[r * by.a_row + k * by.a_step];
#pragma GCC unroll 2
      for (int w = 0; w < W; ++w) sums[r][w] += x * right[w];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int w = 0; w < W; ++w) store_some(c + r * by.c + w * kLanes, w + 1 < W ? kLanes : last, sums[r][w]);
}

template <int W>
void columns_of(std::int64_t rows, std::int64_t inner, std::int64_t last, const float* a, const float* b, const Strides& by,
                bool more, float* c) {
  std::int64_t row = 0;
  const auto take = [&](auto one, std::int64_t height) {
    for (; row + height <= rows; row += height) one(inner, last, a + row * by.a_row, b, by, more, c + row * by.c);
  };
  take(tile<kSmallRows, W>, kSmallRows);
  take(tile<kSmallRows / 2, W>, kSmallRows / 2);
  take(tile<1, W>, 1);
}

}  // namespace

void multiply_small(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a, std::int64_t a_row,
                    std::int64_t a_step, const float* b, std::int64_t ldb, bool more, float* c, std::int64_t ldc) {
  const Strides by{a_row, a_step, ldb, ldc};
  for (std::int64_t column = 0; column < columns; column += 2 * kLanes) {
    const std::int64_t left = columns - column;
    if (left > kLanes)
      columns_of<2>(rows, inner, left - kLanes < kLanes ? left - kLanes : kLanes, a, b + column, by, more, c + column);
    else
      columns_of<1>(rows, inner, left, a, b + column, by, more, c + column);
  }
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
