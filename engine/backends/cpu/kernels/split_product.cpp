// Products of floats that are split into three bfloat16 numbers, on AMX tiles: see split_kernels.h. A tile has 16 rows of 64
// bytes: 16 rows of A with 32 numbers each, or 16 pairs of rows of B with 16 columns each, or 16 x 16 sums.
#include <immintrin.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#define HEADLIGHT_KERNELS amx
#include "engine/backends/cpu/kernels/vector.h"
#include "engine/backends/cpu/split_kernels.h"
#include "engine/checkpoints/stored_type.h"

namespace headlight::backends::cpu::amx {
namespace {

using checkpoints::StoredType;

constexpr std::int64_t kRows = 16, kStep = 32, kParts = 3;
constexpr std::int64_t kTile = kRows * kStep;  // halves
constexpr std::int64_t kBlockStep = kParts * kTile, kPanelStep = kParts * 2 * kTile, kWholeStep = 2 * kTile;
constexpr std::int64_t kPanel = 2 * kLanes;  // columns of a panel of Kernels::pack

__mmask16 first(std::int64_t count) {
  return count >= kLanes ? __mmask16{0xffff} : count <= 0 ? __mmask16{0} : static_cast<__mmask16>((1u << count) - 1);
}

// Registers as the compilers' vector extensions see them: GCC 12 warns of many of its own shuffling intrinsics.
using Lanes = std::uint32_t __attribute__((vector_size(64)));
using Halves = std::uint16_t __attribute__((vector_size(64)));

// 32 numbers, rounded: those of `low` in the lower sixteen halves.
Halves rounded(__m512 low, __m512 high) { return reinterpret_cast<Halves>(_mm512_cvtne2ps_pbh(high, low)); }
// Lane i of the result holds halves i and i + 16.
Lanes paired(Halves r) {
  return reinterpret_cast<Lanes>(__builtin_shufflevector(r, r, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9,
                                                         25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
}
__m512 lower_of(Lanes pairs) { return reinterpret_cast<__m512>(pairs << 16); }
__m512 upper_of(Lanes pairs) { return reinterpret_cast<__m512>(pairs & 0xffff0000u); }

// Splits the numbers of `low` and `high`, which are paired; put(part, pairs) gets each part.
template <class Put>
inline void split(__m512 low, __m512 high, const Put& put) {
#pragma GCC unroll 3
  for (int part = 0; part < kParts; ++part) {
    const Lanes pairs = paired(rounded(low, high));
    put(part, pairs);
    low = low - lower_of(pairs);
    high = high - upper_of(pairs);
  }
}

void split_rows(const float* a, std::int64_t lda, std::int64_t rows, std::int64_t inner, std::uint16_t* to, float* sums) {
  for (std::int64_t k = 0; k < inner; k += kStep, to += kBlockStep) {
    const __mmask16 first_half = first(inner - k), second_half = first(inner - k - kLanes);
    for (std::int64_t r = 0; r < kRows; ++r) {
      const float* const from = a + r * lda + k;
      const __m512 low = r < rows ? _mm512_maskz_loadu_ps(first_half, from) : _mm512_setzero_ps();
      const __m512 high = r < rows ? _mm512_maskz_loadu_ps(second_half, from + kLanes) : _mm512_setzero_ps();
      split(low, high, [&](int part, Lanes pairs) { __builtin_memcpy(to + part * kTile + r * kStep, &pairs, sizeof(pairs)); });
      if (sums) sums[k / kStep * kRows + r] = sum_of(reinterpret_cast<V>(low + high));
    }
  }
}

void split_panel(const float* packed, std::int64_t inner, std::uint16_t* to) {
  for (std::int64_t k = 0; k < inner; k += kStep, to += kPanelStep)
    for (std::int64_t pair = 0; pair < kStep / 2; ++pair) {
      const std::int64_t row = k + pair, other = row + kStep / 2;
      for (std::int64_t half = 0; half < 2; ++half)
        split(row < inner ? _mm512_loadu_ps(packed + row * kPanel + half * kLanes) : _mm512_setzero_ps(),
              other < inner ? _mm512_loadu_ps(packed + other * kPanel + half * kLanes) : _mm512_setzero_ps(),
              [&](int part, Lanes pairs) {
                __builtin_memcpy(to + (part * 2 + half) * kTile + pair * kStep, &pairs, sizeof(pairs));
              });
    }
}

// Four bits a number: bytes of numbers k and k + 16 of a block, behind d, or behind d and m, which are half floats.
constexpr float kLess = 8;  // d q + m = d (q - 8) + (m + 8 d): sums of numbers of both signs are smaller, and so are their errors
bool are_whole(StoredType type) { return type == StoredType::q4_0 || type == StoredType::q4_1; }
const std::uint8_t* column(const StoredColumns& w, std::int64_t j) {
  return reinterpret_cast<const std::uint8_t*>(w.of[j < w.count ? j : w.count - 1]) + w.skipped;
}
// Half floats in the lower halves of the lanes.
V half_floats(__m512i lanes) {
  return reinterpret_cast<V>(_mm512_maskz_cvtph_ps(0xffff, _mm512_maskz_cvtepi32_epi16(0xffff, lanes)));
}

void pack_whole(const StoredColumns& w, std::uint16_t* to, float* factors) {
  // What four bits stand for, twice: the instruction that looks a half up reads five bits of its index.
  alignas(64) std::uint16_t all[32];
  for (int i = 0; i < 32; ++i) {
    const float number = static_cast<float>(i % 16) - kLess;
    __builtin_memcpy(&all[i], reinterpret_cast<const char*>(&number) + 2, 2);
  }
  const __m512i table = _mm512_load_si512(all);
  const bool has_m = w.type == StoredType::q4_1;
  const std::int64_t steps = w.inner / kStep, bytes = has_m ? 20 : 18;
  // The columns behind these are on their way from memory meanwhile.
  const std::ptrdiff_t ahead = w.count > 1 ? (column(w, w.count - 1) - column(w, 0)) / (w.count - 1) * w.count : 0;
  for (std::int64_t half = 0; half < 2; ++half) {
    const std::uint8_t* at[kLanes];
    for (std::int64_t lane = 0; lane < kLanes; ++lane) at[lane] = column(w, half * kLanes + lane);
    const __mmask16 there = first(w.count - half * kLanes);
    const __m512i begin[2] = {_mm512_loadu_si512(at), _mm512_loadu_si512(at + 8)};
    for (std::int64_t step = 0; step < steps; ++step) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) __builtin_prefetch(at[lane] + step * bytes + ahead);
      using Eight = std::int32_t __attribute__((vector_size(32)));
      const auto four_bytes = [&](int which) {
        return reinterpret_cast<Eight>(
            _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), 0xff, begin[which] + step * bytes, nullptr, 1));
      };
      const auto d_and_m = reinterpret_cast<__m512i>(
          __builtin_shufflevector(four_bytes(0), four_bytes(1), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
      const __m512i known = _mm512_maskz_mov_epi32(there, d_and_m);  // 0 behind the last column
      const V d = half_floats(known);
      float* const factor = factors + step * 2 * kPanel + half * kLanes;
      store(factor, d);
      store(factor + kPanel, has_m ? half_floats(_mm512_maskz_srli_epi32(0xffff, known, 16)) + d * kLess : splat(0));
      I y[4];
      turn_bytes(at, (step + 1) * bytes - 16, y);
      std::uint16_t* const tile = to + step * kWholeStep + half * kTile;
      const auto put = [&](int i, I low, I high) {
        const I index = (low & 0xffff) | (high & ~0xffff);
        _mm512_storeu_si512(tile + i * kStep,
                            _mm512_maskz_permutexvar_epi16(0xffffffffu, reinterpret_cast<__m512i>(index), table));
      };
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {  // the lower four bits of a byte are looked up in the lower half, the upper ones in the upper
        put(4 * i, y[i], y[i] << 12);
        put(4 * i + 1, y[i] >> 8, y[i] << 4);
        put(4 * i + 2, y[i] >> 16, y[i] >> 4);
        put(4 * i + 3, y[i] >> 24, y[i] >> 12);
      }
    }
  }
}

// Every tile is whole.
struct Shapes {
  std::uint8_t palette = 1, start = 0, none[14] = {};
  std::uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// Where a tile's sums begin and end: rows `step` and `ldc` floats apart; from null: zeros.
struct Sums {
  const float* from;
  std::int64_t step;
  float* c;
  std::int64_t ldc;
};

// One or two blocks of A with a panel, [16 blocks, 32]. Between two of the six products one side changes, so that only its two
// tiles are loaded. The smallest products come first.
template <int blocks>
void sum_up(std::int64_t steps, const std::uint16_t* a, std::int64_t a_step, const std::uint16_t* b, const Sums& sums) {
  constexpr int kBytes = 64;
  if (sums.from) {
    const std::int64_t bytes = 4 * sums.step;
    _tile_loadd(0, sums.from, bytes);
    _tile_loadd(1, sums.from + kLanes, bytes);
    if constexpr (blocks == 2) {
      _tile_loadd(2, sums.from + kRows * sums.step, bytes);
      _tile_loadd(3, sums.from + kRows * sums.step + kLanes, bytes);
    }
  } else {
    _tile_zero(0);
    _tile_zero(1);
    if constexpr (blocks == 2) {
      _tile_zero(2);
      _tile_zero(3);
    }
  }
  for (std::int64_t step = 0; step < steps; ++step, a += kBlockStep, b += kPanelStep) {
    const auto left = [&](std::int64_t part) {
      _tile_loadd(4, a + part * kTile, kBytes);
      if constexpr (blocks == 2) _tile_loadd(5, a + a_step + part * kTile, kBytes);
    };
    const auto right = [&](std::int64_t part) {
      _tile_loadd(6, b + 2 * part * kTile, kBytes);
      _tile_loadd(7, b + (2 * part + 1) * kTile, kBytes);
    };
    const auto multiply_tiles = [] {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      if constexpr (blocks == 2) {
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      }
    };
    left(0), right(2), multiply_tiles();
    right(1), multiply_tiles();
    left(1), multiply_tiles();
    right(0), multiply_tiles();
    left(2), multiply_tiles();
    left(0), multiply_tiles();
  }
  const std::int64_t bytes = 4 * sums.ldc;
  _tile_stored(0, sums.c, bytes);
  _tile_stored(1, sums.c + kLanes, bytes);
  if constexpr (blocks == 2) {
    _tile_stored(2, sums.c + kRows * sums.ldc, bytes);
    _tile_stored(3, sums.c + kRows * sums.ldc + kLanes, bytes);
  }
}

// `rows` rows of `columns` numbers; the numbers beside them, up to 32, become 0.
void copy_part(const float* from, std::int64_t step, std::int64_t rows, std::int64_t columns, float* to) {
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t half = 0; half < kPanel; half += kLanes)
      _mm512_store_ps(to + r * kPanel + half, _mm512_maskz_loadu_ps(first(columns - half), from + r * step + half));
}

void multiply(std::int64_t rows, std::int64_t steps, std::int64_t columns, const std::uint16_t* a, std::int64_t a_step,
              const std::uint16_t* panel, const float* bias, bool more, Activation activation, float* c, std::int64_t ldc) {
  static const Shapes shapes;
  alignas(64) float edge[2 * kRows * kPanel];  // where less than whole tiles of C are there
  _tile_loadconfig(&shapes);
  for (std::int64_t row = 0; row < rows; row += 2 * kRows, a += 2 * a_step, c += 2 * kRows * ldc) {
    const std::int64_t count = rows - row < 2 * kRows ? rows - row : 2 * kRows;
    const auto sum_blocks = [&](const Sums& sums) {
      if (count > kRows)
        sum_up<2>(steps, a, a_step, panel, sums);
      else
        sum_up<1>(steps, a, a_step, panel, sums);
    };
    if (columns == kPanel && count % kRows == 0) {
      sum_blocks(more ? Sums{c, ldc, c, ldc} : Sums{bias, 0, c, ldc});
    } else {
      if (more)
        copy_part(c, ldc, count, columns, edge);
      else if (bias)
        copy_part(bias, 0, 1, columns, edge);
      sum_blocks({more || bias ? edge : nullptr, more ? kPanel : 0, edge, kPanel});
      for (std::int64_t r = 0; r < count; ++r)
        for (std::int64_t half = 0; half < columns; half += kLanes)
          _mm512_mask_storeu_ps(c + r * ldc + half, first(columns - half), _mm512_load_ps(edge + r * kPanel + half));
    }
    for (std::int64_t r = 0; activation != Activation::none && r < count; ++r)
      avx512::kernels().activate(activation, c + r * ldc, columns, c + r * ldc);
  }
  _tile_release();
}

constexpr std::int64_t kSquare = kRows * kLanes;

// Sums of a step of a block of A with a panel of whole numbers, [2, 16, 16]. Two steps that follow each other take different
// tiles, so that the second does not wait for the first; `meanwhile` is called six times, while the tiles are busy.
template <bool second, class Meanwhile>
inline void sum_step(const std::uint16_t* a, const std::uint16_t* b, float* sums, const Meanwhile& meanwhile) {
  constexpr int kBytes = 64;
  if constexpr (second) {
    _tile_zero(2);
    _tile_zero(3);
  } else {
    _tile_zero(0);
    _tile_zero(1);
  }
  _tile_loadd(6, b, kBytes);
  _tile_loadd(7, b + kTile, kBytes);
#pragma GCC unroll 3
  for (int part = kParts - 1; part >= 0; --part) {
    if constexpr (second) {
      _tile_loadd(5, a + part * kTile, kBytes);
      _tile_dpbf16ps(2, 5, 6);
      meanwhile(0, part);
      _tile_dpbf16ps(3, 5, 7);
    } else {
      _tile_loadd(4, a + part * kTile, kBytes);
      _tile_dpbf16ps(0, 4, 6);
      meanwhile(0, part);
      _tile_dpbf16ps(1, 4, 7);
    }
    meanwhile(1, part);
  }
  if constexpr (second) {
    _tile_stored(2, sums, kBytes);
    _tile_stored(3, sums + kSquare, kBytes);
  } else {
    _tile_stored(0, sums, kBytes);
    _tile_stored(1, sums + kSquare, kBytes);
  }
}

// total [2, 16, 16] += d (A q) + m (sums of A), step by step. While a step is summed up on the tiles, the sums of the last but
// one before it are added: those of the last one would have to be waited for.
void sum_up_whole(std::int64_t steps, const std::uint16_t* a, const float* row_sums, const std::uint16_t* b, const float* factors,
                  float* total) {
  constexpr std::int64_t kLate = 2, kKept = 4;
  alignas(64) float sums[kKept][2 * kSquare];
  const auto add = [&](std::int64_t step, int tile, int begin, int end) {
    const float* const factor = factors + step * 2 * kPanel + tile * kLanes;
    const __m512 d = _mm512_loadu_ps(factor), m = _mm512_loadu_ps(factor + kPanel);
    const float* const of_rows = row_sums + step * kRows;
    const float* const from = sums[step % kKept] + tile * kSquare;
    float* const to = total + tile * kSquare;
#pragma GCC unroll 6
    for (int r = begin; r < end; ++r) {
      const __m512 with_m = _mm512_fmadd_ps(m, _mm512_set1_ps(of_rows[r]), _mm512_load_ps(to + r * kLanes));
      _mm512_store_ps(to + r * kLanes, _mm512_fmadd_ps(d, _mm512_load_ps(from + r * kLanes), with_m));
    }
  };
  const auto one = [&](std::int64_t step) {
    const auto meanwhile = [&](int tile, int part) {
      if (step >= kLate) add(step - kLate, tile, part == 2 ? 0 : part == 1 ? 6 : 11, part == 2 ? 6 : part == 1 ? 11 : 16);
    };
    if (step % 2 == 0)
      sum_step<false>(a + step * kBlockStep, b + step * kWholeStep, sums[step % kKept], meanwhile);
    else
      sum_step<true>(a + step * kBlockStep, b + step * kWholeStep, sums[step % kKept], meanwhile);
  };
  for (std::int64_t step = 0; step < steps; ++step) one(step);
  for (std::int64_t step = steps < kLate ? 0 : steps - kLate; step < steps; ++step)
    for (int tile = 0; tile < 2; ++tile) add(step, tile, 0, kRows);
}

void multiply_whole(std::int64_t rows, std::int64_t steps, std::int64_t columns, const std::uint16_t* a, std::int64_t a_step,
                    const float* sums, const std::uint16_t* panel, const float* factors, const float* bias, bool more,
                    Activation activation, float* c, std::int64_t ldc) {
  static const Shapes shapes;
  alignas(64) float total[2 * kSquare];
  const __mmask16 kept[2] = {first(columns), first(columns - kLanes)};
  _tile_loadconfig(&shapes);
  for (std::int64_t row = 0; row < rows; row += kRows, a += a_step, sums += steps * kRows, c += kRows * ldc) {
    const std::int64_t count = rows - row < kRows ? rows - row : kRows;
    for (std::int64_t r = 0; r < kRows; ++r)
      for (std::int64_t half = 0; half < 2; ++half)
        _mm512_store_ps(total + half * kSquare + r * kLanes,
                        more && r < count ? _mm512_maskz_loadu_ps(kept[half], c + r * ldc + half * kLanes)
                        : !more && bias   ? _mm512_maskz_loadu_ps(kept[half], bias + half * kLanes)
                                          : _mm512_setzero_ps());
    sum_up_whole(steps, a, sums, panel, factors, total);
    for (std::int64_t r = 0; r < count; ++r) {
      for (std::int64_t half = 0; half < 2; ++half)
        _mm512_mask_storeu_ps(c + r * ldc + half * kLanes, kept[half], _mm512_load_ps(total + half * kSquare + r * kLanes));
      if (activation != Activation::none) avx512::kernels().activate(activation, c + r * ldc, columns, c + r * ldc);
    }
  }
  _tile_release();
}

// Linux gives the tiles' registers, whose content is 8 KB, to processes that ask for them.
bool system_gives_tiles() {
#if defined(__linux__)
  constexpr long kAskForFeature = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kAskForFeature, kTileData) == 0;
#else
  return false;
#endif
}
bool processor_has_tiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
  constexpr unsigned kBf16 = 1u << 22, kTiles = 1u << 24;
  return (d & kBf16) && (d & kTiles) && __builtin_cpu_supports("avx512bf16");
}

}  // namespace

const Kernels* kernels() {
  static const SplitKernels split_kernels{24,         kRows,       kStep,    kBlockStep, kPanelStep, kWholeStep,
                                          split_rows, split_panel, multiply, are_whole,  pack_whole, multiply_whole};
  static const Kernels table = [] {
    Kernels all = avx512::kernels();
    all.label = "AVX-512, AMX";
    all.split = &split_kernels;
    return all;
  }();
  static const bool there = processor_has_tiles() && system_gives_tiles();
  return there ? &table : nullptr;
}

}  // namespace headlight::backends::cpu::amx
