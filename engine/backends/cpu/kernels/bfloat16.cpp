// Products of bfloat16 with float32 sums. Eight rows of A by 48 columns of B stay in 24 registers while the pairs go by: three
// registers of B are loaded and eight pairs of A broadcast for 24 instructions, each of 32 multiply-adds.
#include <immintrin.h>

#include "engine/backends/cpu/bfloat16_kernels.h"

namespace headlight::backends::cpu::avx512_bf16 {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kRows = 8;
constexpr std::int64_t kRegisters = 3;  // of a panel of B
constexpr std::int64_t kColumns = kRegisters * kLanes;
constexpr std::int64_t kChunk = 16;  // pairs that are packed of one group of lines before the next group's

__mmask16 first(std::int64_t count) {
  return count >= kLanes ? __mmask16{0xffff} : count <= 0 ? __mmask16{0} : static_cast<__mmask16>((1u << count) - 1);
}

// Registers as the compilers' vector extensions see them: GCC 12 warns of many of its own shuffling intrinsics.
using Lanes = std::uint32_t __attribute__((vector_size(64)));
using Halves = std::uint16_t __attribute__((vector_size(64)));

// 32 numbers, rounded: those of `low` in the lower sixteen halves.
Halves rounded(__m512 low, __m512 high) { return reinterpret_cast<Halves>(_mm512_cvtne2ps_pbh(high, low)); }

// Lanes of (low, high), rounded.
Lanes pairs_of(__m512 low, __m512 high) {
  const Halves r = rounded(low, high);
  return reinterpret_cast<Lanes>(__builtin_shufflevector(r, r, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9,
                                                         25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
}

// r[i] lane j <-> r[j] lane i, in four rounds of exchanges between two registers.
void turn16(Lanes r[16]) {
  Lanes t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  }
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 2; ++j) {
      r[i + 2 * j] = __builtin_shufflevector(t[i + j], t[i + j + 2], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
      r[i + 2 * j + 1] =
          __builtin_shufflevector(t[i + j], t[i + j + 2], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
  const auto even = [](Lanes a, Lanes b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
  };
  const auto odd = [](Lanes a, Lanes b) {
    return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  };
  for (int i = 0; i < 4; ++i) {
    t[i] = even(r[i], r[i + 4]);
    t[i + 4] = odd(r[i], r[i + 4]);
    t[i + 8] = even(r[i + 8], r[i + 12]);
    t[i + 12] = odd(r[i + 8], r[i + 12]);
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = even(t[i], t[i + 8]);
    r[i + 8] = odd(t[i], t[i + 8]);
    r[i + 4] = even(t[i + 4], t[i + 12]);
    r[i + 12] = odd(t[i + 4], t[i + 12]);
  }
}

// Where 16 lines of a pair go: a third of a row of B's panel, or a row of two panels of A.
struct Place {
  std::uint32_t* at;
  std::int64_t width, step;
  bool second;  // of two panels of A: whether lines 8 .. 15 exist
  void put(std::int64_t pair, Lanes lanes) const {
    if (width != kRows) {
      __builtin_memcpy(at + pair * width, &lanes, sizeof(lanes));
      return;
    }
    using Half = std::uint32_t __attribute__((vector_size(32)));
    const Half lower = __builtin_shufflevector(lanes, lanes, 0, 1, 2, 3, 4, 5, 6, 7);
    const Half upper = __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15);
    __builtin_memcpy(at + pair * kRows, &lower, sizeof(lower));
    if (second) __builtin_memcpy(at + step + pair * kRows, &upper, sizeof(upper));
  }
};

// Pairs begin .. end - 1 of 16 lines or fewer, whose numbers lie side by side.
void pack_along(const float* x, std::int64_t ldx, std::int64_t lines, std::int64_t inner, std::int64_t begin, std::int64_t end,
                const Place& place) {
  Lanes r[16];
  const std::int64_t count = inner - 2 * begin;
  const __mmask16 low = first(count), high = first(count - kLanes);
  for (std::int64_t i = 0; i < 16; ++i) {
    const float* const from = x + i * ldx + 2 * begin;
    r[i] = i < lines
               ? reinterpret_cast<Lanes>(rounded(_mm512_maskz_loadu_ps(low, from), _mm512_maskz_loadu_ps(high, from + kLanes)))
               : Lanes{};
  }
  turn16(r);
  for (std::int64_t p = begin; p < end; ++p) place.put(p, r[p - begin]);
}

// The same, where the 16 lines lie side by side.
void pack_across(const float* x, std::int64_t ldx, std::int64_t lines, std::int64_t inner, std::int64_t begin, std::int64_t end,
                 const Place& place) {
  const __mmask16 there = first(lines);
  for (std::int64_t p = begin; p < end; ++p) {
    const float* const from = x + 2 * p * ldx;
    const __m512 low = _mm512_maskz_loadu_ps(there, from);
    const __m512 high = 2 * p + 1 < inner ? _mm512_maskz_loadu_ps(there, from + ldx) : _mm512_setzero_ps();
    place.put(p, pairs_of(low, high));
  }
}

// One group of lines after the other where their numbers lie side by side, else one chunk of pairs after the other: memory is
// read in the order in which it lies.
void pack(const float* x, std::int64_t ldx, bool turned, std::int64_t lines, std::int64_t inner, std::int64_t width,
          std::uint32_t* to, std::int64_t step) {
  const std::int64_t pairs = (inner + 1) / 2;
  const auto some = [&](std::int64_t line, std::int64_t begin) {
    const std::int64_t count = lines - line < kLanes ? lines - line : kLanes;
    const std::int64_t end = pairs - begin < kChunk ? pairs : begin + kChunk;
    const Place place{to + line / width * step + line % width, width, step, count > kRows};
    if (turned)
      pack_across(x + line, ldx, count, inner, begin, end, place);
    else
      pack_along(x + line * ldx, ldx, count, inner, begin, end, place);
  };
  if (turned) {
    for (std::int64_t begin = 0; begin < pairs; begin += kChunk)
      for (std::int64_t line = 0; line < lines; line += kLanes) some(line, begin);
  } else {
    for (std::int64_t line = 0; line < lines; line += kLanes)
      for (std::int64_t begin = 0; begin < pairs; begin += kChunk) some(line, begin);
  }
}

// At most eight rows and V registers of columns.
template <int V>
void tile(std::int64_t rows, std::int64_t columns, std::int64_t pairs, const std::uint32_t* __restrict a,
          const std::uint32_t* __restrict b, const float* start, std::int64_t start_step, float* c, std::int64_t ldc) {
  __m512 sums[kRows][V];
  const bool whole = rows == kRows && columns == V * kLanes;
  const __mmask16 last = first(columns - (V - 1) * kLanes);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 3
    for (int v = 0; v < V; ++v) {
      const float* const from = start + r * start_step + v * kLanes;
      sums[r][v] = !start || r >= rows ? _mm512_setzero_ps()
                   : v + 1 < V         ? _mm512_loadu_ps(from)
                                       : _mm512_maskz_loadu_ps(last, from);
    }
  for (std::int64_t p = 0; p < pairs; ++p) {
    __m512bh right[V];
#pragma GCC unroll 3
    for (int v = 0; v < V; ++v) right[v] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + p * kColumns + v * kLanes));
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const auto left = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a[p * kRows + r])));
#pragma GCC unroll 3
      for (int v = 0; v < V; ++v) sums[r][v] = _mm512_dpbf16_ps(sums[r][v], left, right[v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 3
    for (int v = 0; v < V; ++v) {
      float* const to = c + r * ldc + v * kLanes;
      if (whole)
        _mm512_storeu_ps(to, sums[r][v]);
      else if (r < rows)
        _mm512_mask_storeu_ps(to, v + 1 < V ? __mmask16{0xffff} : last, sums[r][v]);
    }
}

void multiply(std::int64_t rows, std::int64_t columns, std::int64_t pairs, const std::uint32_t* a, std::int64_t a_step,
              const std::uint32_t* b, std::int64_t b_step, const float* start, std::int64_t start_step, float* c,
              std::int64_t ldc) {
  for (std::int64_t column = 0; column < columns; column += kColumns, b += b_step) {
    const std::int64_t width = columns - column < kColumns ? columns - column : kColumns;
    const auto one = width > 2 * kLanes ? tile<3> : width > kLanes ? tile<2> : tile<1>;
    const std::uint32_t* panel = a;
    for (std::int64_t row = 0; row < rows; row += kRows, panel += a_step)
      one(rows - row < kRows ? rows - row : kRows, width, pairs, panel, b, start ? start + row * start_step + column : nullptr,
          start_step, c + row * ldc + column, ldc);
  }
}

}  // namespace

const Bfloat16Kernels& kernels() {
  static constexpr Bfloat16Kernels table{kRows, kColumns, pack, multiply};
  return table;
}

}  // namespace headlight::backends::cpu::avx512_bf16
