// Products with weights as their file stores them (engine/checkpoints/stored_type.h): a register of numbers is widened,
// multiplied and forgotten. Every widened number is the one that checkpoints::widen_blocks() gives, bit by bit: this file must
// not be compiled with products and sums fused where the source does not fuse them (cmake/HeadlightEngine.cmake sees to it).
#include "engine/checkpoints/stored_type.h"

#include <type_traits>
#include <utility>

#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {

#if defined(__AVX2__)

namespace {

using checkpoints::StoredType;
using Byte = std::uint8_t;
using Bytes = __m128i;  // sixteen

Bytes all_bytes(int value) { return _mm_set1_epi8(static_cast<char>(value)); }
// Bits `from` .. of each byte, as many as `mask` has.
template <int from>
Bytes bits_of(Bytes q, int mask) {
  return _mm_and_si128(from == 0 ? q : _mm_srli_epi16(q, from), all_bytes(mask));
}
V fused(V a, V b, V c) {
#if defined(__AVX512F__)
  return reinterpret_cast<V>(
      _mm512_maskz_fmadd_ps(0xffff, reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
#else
  return reinterpret_cast<V>(
      _mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
#endif
}

// Signed bytes from `first` on as floats.
template <int first>
V signed_floats(Bytes q) {
#if defined(__AVX512F__)
  static_assert(first == 0);
  return __builtin_convertvector(reinterpret_cast<I>(_mm512_maskz_cvtepi8_epi32(0xffff, q)), V);
#else
  return __builtin_convertvector(reinterpret_cast<I>(_mm256_cvtepi8_epi32(first == 0 ? q : _mm_srli_si128(q, first))), V);
#endif
}

// Half floats and the upper halves of floats.
V halves_at(const Byte* p) {
#if defined(__AVX512F__)
  return reinterpret_cast<V>(_mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#else
  return reinterpret_cast<V>(_mm256_cvtph_ps(sixteen_at(p)));
#endif
}
V upper_halves_at(const Byte* p) {
#if defined(__AVX512F__)
  return reinterpret_cast<V>(
      reinterpret_cast<I>(_mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))) << 16);
#else
  return reinterpret_cast<V>(reinterpret_cast<I>(_mm256_cvtepu16_epi32(sixteen_at(p))) << 16);
#endif
}
// The scale of a block. All 65,536 are in a table: a load, where converting one costs two places of the units that multiply.
const float* half_floats() {
  static const float* const table = [] {
    alignas(64) static float all[65536];
    for (int i = 0; i < 65536; ++i) all[i] = _cvtsh_ss(static_cast<unsigned short>(i));
    return all;
  }();
  return table;
}
int half_bits(const Byte* p) { return p[0] | p[1] << 8; }

// Each type: widen(b, f) calls f(i, w) with the numbers i .. i + kLanes - 1 of the block at b.

// Numbers that lie one by one; a "block" is a register.
struct F32 {
  static constexpr int kNumbers = kLanes, kBytes = 4 * kLanes;
  template <class F>
  void widen(const Byte* b, const F& f) const {
    f(0, load(reinterpret_cast<const float*>(b)));
  }
};
struct F16 {
  static constexpr int kNumbers = kLanes, kBytes = 2 * kLanes;
  template <class F>
  void widen(const Byte* b, const F& f) const {
    f(0, halves_at(b));
  }
};
struct Bf16 {
  static constexpr int kNumbers = kLanes, kBytes = 2 * kLanes;
  template <class F>
  void widen(const Byte* b, const F& f) const {
    f(0, upper_halves_at(b));
  }
};

// q scale + add, or q scale alone.
struct Scaled {
  V scale;
  V operator()(V q) const { return q * scale; }
};
struct Affine {
  V scale, add;
  V operator()(V q) const { return q * scale + add; }
};
// Of whole numbers so small that q scale is not rounded: the same number in one instruction.
struct ExactAffine {
  V scale, add;
  V operator()(V q) const { return fused(q, scale, add); }
};
// Sixteen signed bytes, numbers `at` .. of their block.
template <class Number, class F>
void give(int at, Bytes q, const Number& number, const F& f) {
  f(at, number(signed_floats<0>(q)));
#if !defined(__AVX512F__)
  f(at + 8, number(signed_floats<8>(q)));
#endif
}

// Sixteen bytes of two numbers each: of number i of the block, and of number i + 16.
template <class Number, class F>
void give_nibbles(const Byte* p, [[maybe_unused]] int less, const Number& number, const F& f) {
#if defined(__AVX512F__)
  // What the sixteen values of four bits stand for fits into a register, in which the numbers are looked up. The instruction
  // reads four bits of each index.
  const V all = number(V{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} - static_cast<float>(less));
  const auto look = [&](__m512i at) {
    return reinterpret_cast<V>(_mm512_maskz_permutexvar_ps(0xffff, at, reinterpret_cast<__m512>(all)));
  };
  const __m512i q = _mm512_maskz_cvtepu8_epi32(0xffff, sixteen_at(p));
  f(0, look(q));
  f(16, look(_mm512_maskz_srli_epi32(0xffff, q, 4)));
#else
  const Bytes q = sixteen_at(p), down = all_bytes(less);
  give(0, _mm_sub_epi8(bits_of<0>(q, 15), down), number, f);
  give(16, _mm_sub_epi8(bits_of<4>(q, 15), down), number, f);
#endif
}

struct Q4_0 {
  static constexpr int kNumbers = 32, kBytes = 18;
  const float* halves = half_floats();
  template <class F>
  void widen(const Byte* b, const F& f) const {
    give_nibbles(b + 2, 8, Scaled{splat(halves[half_bits(b)])}, f);
  }
};
struct Q4_1 {
  static constexpr int kNumbers = 32, kBytes = 20;
  const float* halves = half_floats();
  template <class F>
  void widen(const Byte* b, const F& f) const {
    give_nibbles(b + 4, 0, ExactAffine{splat(halves[half_bits(b)]), splat(halves[half_bits(b + 2)])}, f);
  }
};
struct Q8_0 {
  static constexpr int kNumbers = 32, kBytes = 34;
  const float* halves = half_floats();
  template <class F>
  void widen(const Byte* b, const F& f) const {
    const Scaled number{splat(halves[half_bits(b)])};
    give(0, sixteen_at(b + 2), number, f);
    give(16, sixteen_at(b + 18), number, f);
  }
};

// Bits 0 .. 15 of two bytes as bytes of 0 or 16.
Bytes fifth_bits(const Byte* p) {
  const Bytes spread = _mm_shuffle_epi8(_mm_set1_epi16(static_cast<short>(half_bits(p))),
                                        _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1));
  const Bytes each = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  return _mm_and_si128(_mm_cmpeq_epi8(_mm_and_si128(spread, each), each), all_bytes(16));
}
template <class Number, class F>
void give_fives(const Byte* high, const Byte* low, int less, const Number& number, const F& f) {
  const Bytes q = sixteen_at(low), down = all_bytes(less);
  give(0, _mm_sub_epi8(_mm_or_si128(bits_of<0>(q, 15), fifth_bits(high)), down), number, f);
  give(16, _mm_sub_epi8(_mm_or_si128(bits_of<4>(q, 15), fifth_bits(high + 2)), down), number, f);
}
struct Q5_0 {
  static constexpr int kNumbers = 32, kBytes = 22;
  const float* halves = half_floats();
  template <class F>
  void widen(const Byte* b, const F& f) const {
    give_fives(b + 2, b + 6, 16, Scaled{splat(halves[half_bits(b)])}, f);
  }
};
struct Q5_1 {
  static constexpr int kNumbers = 32, kBytes = 24;
  const float* halves = half_floats();
  template <class F>
  void widen(const Byte* b, const F& f) const {
    give_fives(b + 4, b + 8, 0, Affine{splat(halves[half_bits(b)]), splat(halves[half_bits(b + 2)])}, f);
  }
};

// f(constant 0), f(constant 1), ...: shifts must be constants.
template <int... i, class F>
void for_each_of(std::integer_sequence<int, i...>, const F& f) {
  (f(std::integral_constant<int, i>()), ...);
}
template <int count, class F>
void for_each_to(const F& f) {
  for_each_of(std::make_integer_sequence<int, count>(), f);
}

// 256 numbers with scales of their own for every 16 or 32. The layouts are those of checkpoints/widen.cpp.
struct Q2K {
  static constexpr int kNumbers = 256, kBytes = 84;
  const float* halves = half_floats();
  template <class F>
  void widen(const Byte* b, const F& f) const {
    const float d = halves[half_bits(b + 80)], m = halves[half_bits(b + 82)];
    for_each_to<16>([&](auto group) {
      constexpr int g = group.value;
      const Affine number{splat(d * static_cast<float>(b[g] & 15)), splat(-(m * static_cast<float>(b[g] >> 4)))};
      give(16 * g, bits_of<2 * (g % 8 / 2)>(sixteen_at(b + 16 + 32 * (g / 8) + 16 * (g % 2)), 3), number, f);
    });
  }
};
struct Q3K {
  static constexpr int kNumbers = 256, kBytes = 110;
  const float* halves = half_floats();
  template <class F>
  void widen(const Byte* b, const F& f) const {
    const Byte* const scales = b + 96;
    const float d = halves[half_bits(b + 108)];
    for_each_to<16>([&](auto group) {
      constexpr int g = group.value;
      const int low = scales[g % 8] >> (4 * (g / 8)) & 15, high = scales[8 + g % 4] >> (2 * (g / 4)) & 3;
      const Bytes q = bits_of<2 * (g % 8 / 2)>(sixteen_at(b + 32 + 32 * (g / 8) + 16 * (g % 2)), 3);
      const Bytes third = _mm_slli_epi16(bits_of<g / 2>(sixteen_at(b + 16 * (g % 2)), 1), 2);
      give(16 * g, _mm_sub_epi8(_mm_or_si128(q, third), all_bytes(4)),
           Scaled{splat(d * static_cast<float>((low | high << 4) - 32))}, f);
    });
  }
};
// The scale and minimum of 32 numbers, of 6 bits each.
template <int j>
Affine scale_and_least(const Byte* s, float d, float m) {
  const int scale = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | (s[j < 4 ? 0 : j - 4] >> 6) << 4;
  const int least = j < 4 ? s[j + 4] & 63 : (s[j + 4] >> 4) | (s[j] >> 6) << 4;
  return {splat(d * static_cast<float>(scale)), splat(-(m * static_cast<float>(least)))};
}
struct Q4K {
  static constexpr int kNumbers = 256, kBytes = 144;
  const float* halves = half_floats();
  template <class F>
  void widen(const Byte* b, const F& f) const {
    const float d = halves[half_bits(b)], m = halves[half_bits(b + 2)];
    for_each_to<8>([&](auto part) {
      constexpr int j = part.value;
      const Affine number = scale_and_least<j>(b + 4, d, m);
      const Byte* const q = b + 16 + 32 * (j / 2);
      give(32 * j, bits_of<4 * (j % 2)>(sixteen_at(q), 15), number, f);
      give(32 * j + 16, bits_of<4 * (j % 2)>(sixteen_at(q + 16), 15), number, f);
    });
  }
};
struct Q5K {
  static constexpr int kNumbers = 256, kBytes = 176;
  const float* halves = half_floats();
  template <class F>
  void widen(const Byte* b, const F& f) const {
    const float d = halves[half_bits(b)], m = halves[half_bits(b + 2)];
    for_each_to<8>([&](auto part) {
      constexpr int j = part.value;
      const Affine number = scale_and_least<j>(b + 4, d, m);
      for (int i = 0; i < 32; i += 16) {
        const Bytes fifth = _mm_slli_epi16(bits_of<j>(sixteen_at(b + 16 + i), 1), 4);
        give(32 * j + i, _mm_or_si128(bits_of<4 * (j % 2)>(sixteen_at(b + 48 + 32 * (j / 2) + i), 15), fifth), number, f);
      }
    });
  }
};
struct Q6K {
  static constexpr int kNumbers = 256, kBytes = 210;
  const float* halves = half_floats();
  template <class F>
  void widen(const Byte* b, const F& f) const {
    const float d = halves[half_bits(b + 208)];
    for_each_to<16>([&](auto group) {
      constexpr int g = group.value, quarter = g % 8 / 2;
      const Scaled number{splat(d * static_cast<float>(static_cast<std::int8_t>(b[192 + g])))};
      const Bytes low = bits_of<4 * (quarter / 2)>(sixteen_at(b + 64 * (g / 8) + 32 * (quarter % 2) + 16 * (g % 2)), 15);
      const Bytes high = bits_of<2 * quarter>(sixteen_at(b + 128 + 32 * (g / 8) + 16 * (g % 2)), 3);
      give(16 * g, _mm_sub_epi8(_mm_or_si128(low, _mm_slli_epi16(high, 4)), all_bytes(32)), number, f);
    });
  }
};

// A block of any type is written to memory first, so that the product is not compiled for each type.
template <class Type>
void write_blocks(const Byte* b, std::int64_t count, float* to) {
  const Type type;
  for (std::int64_t i = 0; i < count; ++i, b += Type::kBytes, to += Type::kNumbers)
    type.widen(b, [to](int k, V numbers) { store(to + k, numbers); });
}
struct Any {
  int kNumbers, kBytes;
  void (*write)(const Byte* b, std::int64_t count, float* to);
  template <class F>
  void widen(const Byte* b, const F& f) const {
    alignas(64) float numbers[256];
    write(b, 1, numbers);
    for (int k = 0; k < kNumbers; k += kLanes) f(k, load(numbers + k));
  }
};
template <class Type>
constexpr Any any_of() {
  return {Type::kNumbers, Type::kBytes, write_blocks<Type>};
}
Any any(StoredType type) {
  switch (type) {
    case StoredType::f16: return any_of<F16>();
    case StoredType::bf16: return any_of<Bf16>();
    case StoredType::q4_0: return any_of<Q4_0>();
    case StoredType::q4_1: return any_of<Q4_1>();
    case StoredType::q5_0: return any_of<Q5_0>();
    case StoredType::q5_1: return any_of<Q5_1>();
    case StoredType::q8_0: return any_of<Q8_0>();
    case StoredType::q2_k: return any_of<Q2K>();
    case StoredType::q3_k: return any_of<Q3K>();
    case StoredType::q4_k: return any_of<Q4K>();
    case StoredType::q5_k: return any_of<Q5K>();
    case StoredType::q6_k: return any_of<Q6K>();
    default: return any_of<F32>();
  }
}

const Byte* column(const StoredColumns& w, std::int64_t j) { return reinterpret_cast<const Byte*>(w.of[j]) + w.skipped; }
// The number i of a column whose numbers lie one by one.
float number_at(StoredType type, const Byte* column, std::int64_t i) {
  if (type == StoredType::f16) return half_floats()[half_bits(column + 2 * i)];
  float x;
  const std::uint32_t upper = type == StoredType::bf16 ? static_cast<std::uint32_t>(half_bits(column + 2 * i)) << 16 : 0;
  __builtin_memcpy(&x, type == StoredType::bf16 ? reinterpret_cast<const Byte*>(&upper) : column + 4 * i, 4);
  return x;
}

// Columns side by side hide the time that one column's sum takes; so many as the registers hold with R rows.
#if defined(__AVX512F__)
template <int R>
constexpr int kAbreast = 4;
#else
template <int R>
constexpr int kAbreast = R <= 2 ? 4 : 2;
#endif

constexpr std::ptrdiff_t kAhead = 1024;  // bytes that are asked for before they are read

// The columns abreast are far from each other, and each is followed by the next one of its part: memory is read as a few streams
// that go straight on, which the processor fetches ahead by itself.
template <int R, class Type>
void products_of(const Type& type, const StoredColumns& w, const float* a, std::int64_t lda, const float* bias, float* c,
                 std::int64_t ldc) {
  constexpr int C = kAbreast<R>;
  const std::int64_t blocks = w.inner / type.kNumbers, part = (w.count + C - 1) / C;
  for (std::int64_t j = 0; j < part; ++j) {
    const Byte* at[C];
    for (int i = 0; i < C; ++i) at[i] = column(w, i * part + j < w.count ? i * part + j : w.count - 1);
    V sums[C][R];
    for (int i = 0; i < C; ++i)
      for (int r = 0; r < R; ++r) sums[i][r] = splat(0);
    const float* x = a;
    for (std::int64_t block = 0; block < blocks; ++block) {
#pragma GCC unroll 4
      for (int i = 0; i < C; ++i) {
        type.widen(at[i], [&](int k, V numbers) {
#pragma GCC unroll 4
          for (int r = 0; r < R; ++r) sums[i][r] = fused(numbers, load(x + r * lda + k), sums[i][r]);
        });
        __builtin_prefetch(at[i] + kAhead);
        at[i] += type.kBytes;
      }
      x += type.kNumbers;
    }
    for (int i = 0; i < C && i * part + j < w.count; ++i)
      for (int r = 0; r < R; ++r) {
        const std::int64_t to = i * part + j;
        float sum = sum_of(sums[i][r]);
        for (std::int64_t k = blocks * type.kNumbers; k < w.inner; ++k)
          sum += number_at(w.type, column(w, to), k) * a[r * lda + k];
        c[r * ldc + to] = bias ? sum + bias[to] : sum;
      }
  }
}

template <int R>
void products_of(const StoredColumns& w, const float* a, std::int64_t lda, const float* bias, float* c, std::int64_t ldc) {
  switch (w.type) {
    case StoredType::f32: return products_of<R>(F32(), w, a, lda, bias, c, ldc);
    case StoredType::f16: return products_of<R>(F16(), w, a, lda, bias, c, ldc);
    case StoredType::bf16: return products_of<R>(Bf16(), w, a, lda, bias, c, ldc);
    case StoredType::q4_0: return products_of<R>(Q4_0(), w, a, lda, bias, c, ldc);
    case StoredType::q4_1: return products_of<R>(Q4_1(), w, a, lda, bias, c, ldc);
    case StoredType::q8_0: return products_of<R>(Q8_0(), w, a, lda, bias, c, ldc);
    default: return products_of<R>(any(w.type), w, a, lda, bias, c, ldc);
  }
}

// By way of memory: rows of widened numbers, which are then turned.
void pack_rows(const StoredColumns& w, float* packed) {
  constexpr std::int64_t kPart = 256, kStep = kPart + 16;  // steps of a power of two would want the same places of the cache
  alignas(64) float rows[2 * kLanes * kStep];
  const Any type = any(w.type);
  for (std::int64_t first = 0; first < w.inner; first += kPart) {
    const std::int64_t count = w.inner - first < kPart ? w.inner - first : kPart;
    for (std::int64_t j = 0; j < w.count; ++j) {
      float* const to = rows + j * kStep;
      const std::int64_t blocks = count / type.kNumbers;
      type.write(column(w, j) + first / type.kNumbers * type.kBytes, blocks, to);
      for (std::int64_t k = blocks * type.kNumbers; k < count; ++k) to[k] = number_at(w.type, column(w, j), first + k);
    }
    pack(rows, kStep, true, count, w.count, packed + first * 2 * kLanes);
  }
}

// The 32 numbers of a block of each column: bytes are turned before they are widened, which is a quarter of the work or less.
template <class Number>
void pack_nibbles(const Byte* const* at, std::int64_t offset, int less, const Number& number, float* to) {
  I y[4];
  turn_bytes(at, offset, y);
#if defined(__AVX512F__)
  // The instruction that looks a lane up reads the four lowest bits of its index.
  const auto all = reinterpret_cast<__m512>(V{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} - static_cast<float>(less));
  const auto q = [&](I bits) {
    return reinterpret_cast<V>(_mm512_maskz_permutexvar_ps(0xffff, reinterpret_cast<__m512i>(bits), all));
  };
#else
  const auto q = [&](I bits) { return __builtin_convertvector((bits & 15) - less, V); };
#endif
  for_each_to<16>([&](auto which) {
    constexpr int i = which.value, from = 8 * (i % 4);
    store(to + i * 2 * kLanes, number(q(y[i / 4] >> from)));
    store(to + (16 + i) * 2 * kLanes, number(q(y[i / 4] >> (from + 4))));
  });
}
template <class Number>
void pack_bytes(const Byte* const* at, std::int64_t offset, const Number& number, float* to) {
  I y[4];
  turn_bytes(at, offset, y);
  for_each_to<16>([&](auto which) {
    constexpr int i = which.value;
    store(to + i * 2 * kLanes, number(__builtin_convertvector(y[i / 4] << (24 - 8 * (i % 4)) >> 24, V)));
  });
}

template <class Type>
void pack_blocks(const StoredColumns& w, float* packed) {
  constexpr int kAtOnce = 8;
  constexpr bool is_affine = std::is_same_v<Type, Q4_1>;
  const std::int64_t blocks = w.inner / Type::kNumbers;
  // The columns behind these are on their way from memory meanwhile.
  const std::ptrdiff_t ahead = w.count > 1 ? (column(w, w.count - 1) - column(w, 0)) / (w.count - 1) * w.count : 0;
  for (int half = 0; half < 2; ++half) {
    // Behind the last column there are zeros: its numbers with scales of 0.
    const Byte* at[kLanes];
    const std::int64_t first = half * kLanes, count = w.count - first;
    for (int lane = 0; lane < kLanes; ++lane) at[lane] = column(w, lane < count ? first + lane : w.count - 1);
    for (std::int64_t block = 0; block < blocks; block += kAtOnce) {
      const std::int64_t some = blocks - block < kAtOnce ? blocks - block : kAtOnce;
      alignas(64) std::uint16_t scales[kAtOnce][kLanes], adds[kAtOnce][kLanes];
      for (int lane = 0; lane < kLanes; ++lane) {
        for (std::int64_t i = 0; i < some; ++i) {
          const Byte* const b = at[lane] + (block + i) * Type::kBytes;
          __builtin_prefetch(b + ahead);
          scales[i][lane] = lane < count ? static_cast<std::uint16_t>(half_bits(b)) : 0;
          if (is_affine) adds[i][lane] = lane < count ? static_cast<std::uint16_t>(half_bits(b + 2)) : 0;
        }
      }
      for (std::int64_t i = 0; i < some; ++i) {
        const std::int64_t b = (block + i) * Type::kBytes;
        float* const to = packed + (block + i) * Type::kNumbers * 2 * kLanes + first;
        const V scale = halves_at(reinterpret_cast<const Byte*>(scales[i]));
        if constexpr (is_affine) {
          pack_nibbles(at, b + 4, 0, ExactAffine{scale, halves_at(reinterpret_cast<const Byte*>(adds[i]))}, to);
        } else if constexpr (std::is_same_v<Type, Q4_0>) {
          pack_nibbles(at, b + 2, 8, Scaled{scale}, to);
        } else {
          pack_bytes(at, b + 2, Scaled{scale}, to);
          pack_bytes(at, b + 18, Scaled{scale}, to + 16 * 2 * kLanes);
        }
      }
    }
  }
}

}  // namespace

void multiply_stored(std::int64_t rows, const StoredColumns& w, const float* a, std::int64_t lda, const float* bias,
                     Activation activation, float* c, std::int64_t ldc) {
  switch (rows) {
    case 1: products_of<1>(w, a, lda, bias, c, ldc); break;
    case 2: products_of<2>(w, a, lda, bias, c, ldc); break;
    case 3: products_of<3>(w, a, lda, bias, c, ldc); break;
    default: products_of<4>(w, a, lda, bias, c, ldc); break;
  }
  if (activation != Activation::none)
    for (std::int64_t r = 0; r < rows; ++r) activate(activation, c + r * ldc, w.count, c + r * ldc);
}

void pack_stored(const StoredColumns& w, float* packed) {
  switch (w.type) {
    case StoredType::q4_0: return pack_blocks<Q4_0>(w, packed);
    case StoredType::q4_1: return pack_blocks<Q4_1>(w, packed);
    case StoredType::q8_0: return pack_blocks<Q8_0>(w, packed);
    default: return pack_rows(w, packed);
  }
}

#endif

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
