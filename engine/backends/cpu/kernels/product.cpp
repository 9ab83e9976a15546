// The matrix product: rows of A, kRows at a time, times one packed panel of B that is two registers wide.
//
// The panel is gone through in blocks of kDepth rows, all rows of A with one block before the next: a block is 64 KiB with
// AVX-512 and stays in the second-level cache meanwhile. While it is used, the block behind it is fetched from memory. The sums
// of a block are stored in C and go on from there, so every number of C is one chain of multiply-adds over all of `inner`, in
// order, whatever the number of rows and of threads.
#include <utility>

#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {
namespace {

constexpr std::int64_t kPanel = 2 * kLanes;

constexpr std::int64_t kDepth = 512;
constexpr std::int64_t kLine = 16;  // floats of a cache line

// A register's lanes that are among the next `columns` numbers; the others are 0, and are not stored.
inline V first_of(const float* from, std::int64_t columns) {
  return columns >= kLanes ? load(from) : columns > 0 ? load_part(from, columns, 0) : splat(0);
}
inline void store_first(float* to, std::int64_t columns, V v) {
  if (columns >= kLanes)
    store(to, v);
  else if (columns > 0)
    store_part(to, columns, v);
}

// R rows and W registers of C over `depth` rows of the panel; the sums stay in registers meanwhile. They begin with the bias, or
// with what is in C, or, where `start` is null, with 0.
template <int R, int W>
void tile(std::int64_t depth, std::int64_t columns, const float* __restrict a, std::int64_t lda, const float* __restrict b,
          const float* ahead, const float* start, std::int64_t start_step, float* c, std::int64_t ldc) {
  V sums[R][W];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int w = 0; w < W; ++w)
      sums[r][w] = start ? first_of(start + r * start_step + w * kLanes, columns - w * kLanes) : splat(0);
  for (std::int64_t k = 0; k < depth; ++k) {
    __builtin_prefetch(ahead + k * kLine);
    V right[W];
#pragma GCC unroll 2
    for (int w = 0; w < W; ++w) right[w] = load(b + k * kPanel + w * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const float x = a[r * lda + k];
#pragma GCC unroll 2
      for (int w = 0; w < W; ++w) sums[r][w] += x * right[w];
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int w = 0; w < W; ++w) store_first(c + r * ldc + w * kLanes, columns - w * kLanes, sums[r][w]);
}

using Tile = void (*)(std::int64_t, std::int64_t, const float*, std::int64_t, const float*, const float*, const float*,
                      std::int64_t, float*, std::int64_t);
// Of 1 .. kRows rows and W registers.
template <int W, class Rows>
struct Tiles;
template <int W, int... R>
struct Tiles<W, std::integer_sequence<int, R...>> {
  static constexpr Tile all[] = {tile<R + 1, W>...};
};
using Heights = std::make_integer_sequence<int, kRows>;
constexpr const Tile* kNarrow = Tiles<1, Heights>::all;
constexpr const Tile* kWide = Tiles<2, Heights>::all;

// The rows of a transposed B from rows.begin on, and their numbers from steps.begin on.
struct Span {
  std::int64_t begin, end;
};
void pack_turned(const float* b, std::int64_t ldb, Span rows, Span steps, float* packed) {
  const std::int64_t whole_rows = rows.begin + (rows.end - rows.begin) / 8 * 8;
  const std::int64_t whole_steps = steps.begin + (steps.end - steps.begin) / 8 * 8;
  for (std::int64_t k0 = steps.begin; k0 < whole_steps; k0 += 8) {
    for (std::int64_t j = rows.begin; j < whole_rows; j += 8) transpose8(b + j * ldb + k0, ldb, packed + k0 * kPanel + j, kPanel);
    for (std::int64_t j = whole_rows; j < rows.end; ++j) {
      for (std::int64_t k = k0; k < k0 + 8; ++k) packed[k * kPanel + j] = b[j * ldb + k];
    }
  }
  for (std::int64_t k = whole_steps; k < steps.end; ++k) {
    for (std::int64_t j = rows.begin; j < rows.end; ++j) packed[k * kPanel + j] = b[j * ldb + k];
  }
}

}  // namespace

void pack(const float* b, std::int64_t ldb, bool transposed, std::int64_t inner, std::int64_t columns, float* packed) {
  if (transposed) {
    std::int64_t turned_rows = 0, turned_steps = 0;
#if defined(__AVX512F__)
    turned_rows = columns / 16 * 16;
    turned_steps = inner / 16 * 16;
    for (std::int64_t k = 0; k < turned_steps; k += 16)
      for (std::int64_t j = 0; j < turned_rows; j += 16) transpose16(b + j * ldb + k, ldb, packed + k * kPanel + j, kPanel);
#endif
    pack_turned(b, ldb, {0, turned_rows}, {turned_steps, inner}, packed);
    pack_turned(b, ldb, {turned_rows, columns}, {0, inner}, packed);
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
              const float* bias, bool more, Activation activation, float* c, std::int64_t ldc) {
  // Tiles of equal height, or one less: eight rows more than a multiple are no tile of eight, which would keep the unit less
  // busy.
  const std::int64_t count = (rows + kRows - 1) / kRows, least = rows / count, larger = rows % count;
  const Tile* const tiles = columns > kLanes ? kWide : kNarrow;
  for (std::int64_t k = 0; k < inner; k += kDepth) {
    const std::int64_t depth = inner - k < kDepth ? inner - k : kDepth;
    const float* const b = packed + k * kPanel;
    const float* ahead = b + depth * kPanel;
    const bool begins = k == 0 && !more;
    std::int64_t row = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t height = least + (i < larger ? 1 : 0);
      float* const to = c + row * ldc;
      tiles[height - 1](depth, columns, a + row * lda + k, lda, b, ahead, begins ? bias : to, begins ? 0 : ldc, to, ldc);
      row += height;
      if (i * kLine < kPanel) ahead += depth * kLine;  // each tile fetches a line of every row, until all are on their way
    }
  }
  if (activation != Activation::none) {
    for (std::int64_t r = 0; r < rows; ++r) activate(activation, c + r * ldc, columns, c + r * ldc);
  }
}

void additive_scores(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* q, const float* packed,
                     const float* a, float* c, std::int64_t ldc) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t j = 0; j < columns; j += kLanes) {
      V sum = splat(0);
      for (std::int64_t i = 0; i < inner; ++i) sum += a[i] * tanh_of(q[r * inner + i] + load(packed + i * kPanel + j));
      store_first(c + r * ldc + j, columns - j, sum);
    }
  }
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
