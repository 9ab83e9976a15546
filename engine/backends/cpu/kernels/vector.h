// V: a register of floats as wide as the instruction set this file is compiled for, with its loads, sums, exp and tanh, and the
// transposition of a block. It uses the vector extensions of GCC and Clang: + - * / and comparisons work by lane, `m ? a : b`
// selects by lane.
#pragma once

#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {

#if defined(__AVX512F__)
inline constexpr int kLanes = 16;
#elif defined(__AVX2__)
inline constexpr int kLanes = 8;
#else
inline constexpr int kLanes = 4;
#endif

using V = float __attribute__((vector_size(kLanes * sizeof(float))));
using I = std::int32_t __attribute__((vector_size(kLanes * sizeof(float))));

inline V load(const float* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
inline void store(float* p, V v) { __builtin_memcpy(p, &v, sizeof(v)); }
// x - 0 is x for every x, and the compilers turn this into one broadcast instruction (they do not if lanes are filled one by
// one).
inline V splat(float x) { return x - V{}; }
#if defined(__AVX512F__)
inline __mmask16 first_lanes(std::int64_t count) { return static_cast<__mmask16>(count >= kLanes ? 0xffffu : (1u << count) - 1); }
#elif defined(__AVX2__)
inline I first_lanes(std::int64_t count) { return I{0, 1, 2, 3, 4, 5, 6, 7} < static_cast<std::int32_t>(count); }
#endif
// Loads the first `count` lanes; the other lanes are `fill`. load_part(p, 2, 0) gives p[0], p[1], 0, 0, ...
inline V load_part(const float* p, std::int64_t count, float fill) {
#if defined(__AVX512F__)
  return reinterpret_cast<V>(_mm512_mask_loadu_ps(reinterpret_cast<__m512>(splat(fill)), first_lanes(count), p));
#elif defined(__AVX2__)
  const I first = first_lanes(count);
  const V v = reinterpret_cast<V>(_mm256_maskload_ps(p, reinterpret_cast<__m256i>(first)));
  return first < 0 ? v : splat(fill);
#else
  V v = splat(fill);
  for (int i = 0; i < kLanes; ++i) {
    if (i < count) v[i] = p[i];
  }
  return v;
#endif
}
// Stores the first `count` lanes: store_part(p, 2, v) writes p[0] and p[1].
inline void store_part(float* p, std::int64_t count, V v) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_ps(p, first_lanes(count), reinterpret_cast<__m512>(v));
#elif defined(__AVX2__)
  _mm256_maskstore_ps(p, reinterpret_cast<__m256i>(first_lanes(count)), reinterpret_cast<__m256>(v));
#else
  for (int i = 0; i < kLanes; ++i) {
    if (i < count) p[i] = v[i];
  }
#endif
}
// Calls f(i, n) for each register of n = kLanes numbers from i on, at the end for the numbers that are left.
// for_registers(20, f) calls f(0, 16) and f(16, 4) with 16 lanes.
template <class F>
inline void for_registers(std::int64_t count, const F& f) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) f(i, std::int64_t{kLanes});
  if (i < count) f(i, count - i);
}
// Load or store the first `count` lanes, 1 <= count <= kLanes. The other lanes are not read or written, and load as 0.
// load_some(p, kLanes) is load(p).
inline V load_some(const float* p, std::int64_t count) { return count == kLanes ? load(p) : load_part(p, count, 0); }
inline void store_some(float* p, std::int64_t count, V v) {
  if (count == kLanes)
    store(p, v);
  else
    store_part(p, count, v);
}
// Gives each of the first `count` lanes that of `kept` if keep[lane] is not 0, else that of `other`. With keep = 1, 0,
// choose(keep, 2, a, b) gives a[0], b[1] in the first two lanes.
inline V choose(const std::uint8_t* keep, std::int64_t count, V kept, V other) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  const __m128i bytes = _mm_maskz_loadu_epi8(first_lanes(count), keep);
  return reinterpret_cast<V>(
      _mm512_mask_blend_ps(_mm_test_epi8_mask(bytes, bytes), reinterpret_cast<__m512>(other), reinterpret_cast<__m512>(kept)));
#else
  I chosen{};
  for (int i = 0; i < kLanes; ++i) {
    if (i < count) chosen[i] = keep[i];
  }
  return chosen != 0 ? kept : other;
#endif
}
// table[ids[lane]] in each lane: look_up(table, ids) with ids 7, 0, ... gives table[7], table[0], ... Gather instructions are
// faster, but the compilers' cost models do not generate them here.
inline V look_up(const float* table, const std::int32_t* ids) {
#if defined(__AVX512F__)
  // The masked form, because GCC 12 warns that the plain one's internal start value is undefined.
  return reinterpret_cast<V>(_mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, _mm512_loadu_si512(ids), table, 4));
#elif defined(__AVX2__)
  return reinterpret_cast<V>(_mm256_i32gather_ps(table, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ids)), 4));
#else
  V v;
  for (int i = 0; i < kLanes; ++i) v[i] = table[ids[i]];
  return v;
#endif
}
inline V bits_to_float(I i) {
  V v;
  __builtin_memcpy(&v, &i, sizeof(v));
  return v;
}
inline I float_to_bits(V v) {
  I i;
  __builtin_memcpy(&i, &v, sizeof(i));
  return i;
}

// v with the upper half of its first `width` lanes moved down. Each step of a reduction folds the upper half onto the lower.
template <int width>
inline V upper_half(V v) {
#if defined(__AVX512F__)
  if constexpr (width == 16) return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
  if constexpr (width == 8) return __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7);
  if constexpr (width == 4) return __builtin_shufflevector(v, v, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3);
  return __builtin_shufflevector(v, v, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
#elif defined(__AVX2__)
  if constexpr (width == 8) return __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7);
  if constexpr (width == 4) return __builtin_shufflevector(v, v, 2, 3, 2, 3, 2, 3, 2, 3);
  return __builtin_shufflevector(v, v, 1, 1, 1, 1, 1, 1, 1, 1);
#else
  if constexpr (width == 4) return __builtin_shufflevector(v, v, 2, 3, 2, 3);
  return __builtin_shufflevector(v, v, 1, 1, 1, 1);
#endif
}
template <int width = kLanes>
inline float sum_of(V v) {
  v += upper_half<width>(v);
  if constexpr (width > 2) return sum_of<width / 2>(v);
  return v[0];
}
template <int width = kLanes>
inline float max_of(V v) {
  const V other = upper_half<width>(v);
  v = other > v ? other : v;
  if constexpr (width > 2) return max_of<width / 2>(v);
  return v[0];
}

// The sum of `count` numbers. f(i, n) gives the n numbers from i on as a register, zeros in the other lanes.
// sum_over(count, [x](auto i, auto n) { return load_some(x + i, n); }) sums x [count].
template <class F>
inline float sum_over(std::int64_t count, const F& f) {
  V sums = splat(0);
  for (std::int64_t i = 0; i + kLanes <= count; i += kLanes) sums += f(i, kLanes);
  const std::int64_t rest = count % kLanes;
  if (rest) sums += f(count - rest, rest);
  return sum_of(sums);
}

// e^x: x = k ln 2 + r with |r| <= ln(2)/2, e^r by a polynomial fitted in the least-squares sense on Chebyshev nodes (relative
// error 1e-8 before rounding). Below -87.3 the result is exactly 0, above 88 infinity; NaN stays NaN.
inline V exp_of(V x) {
  const V low = splat(-87.3f);
  const V high = splat(88.0f);
#if defined(__AVX512F__)
  // max and min return their second operand if one operand is NaN. The masked forms are used, because GCC 12 warns that the start
  // value of the plain ones is undefined.
  const auto raised = _mm512_maskz_max_ps(0xffff, reinterpret_cast<__m512>(low), reinterpret_cast<__m512>(x));
  const V inside = reinterpret_cast<V>(_mm512_maskz_min_ps(0xffff, reinterpret_cast<__m512>(high), raised));
#else
  const V inside = x < low ? low : (x > high ? high : x);
#endif
  // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
  const V magic = splat(12582912.0f);
  const V shifted = inside * 1.44269504f + magic;
  const V k = shifted - magic;
  const V r = (inside - k * 0.693359375f) + k * 2.12194440e-4f;
  V p = r * 0.0013933733571f + 0.0083632357418f;
  p = p * r + 0.0416664630175f;
  p = p * r + 0.1666657626629f;
  p = p * r + 0.5f;
  p = (p * r) * r + r + 1.0f;
#if defined(__AVX512F__)
  const __mmask16 not_low = _mm512_cmp_ps_mask(reinterpret_cast<__m512>(x), reinterpret_cast<__m512>(low), _CMP_NLT_UQ);
  const __mmask16 too_high = _mm512_cmp_ps_mask(reinterpret_cast<__m512>(x), reinterpret_cast<__m512>(high), _CMP_GT_OQ);
  const auto y = _mm512_maskz_scalef_ps(not_low, reinterpret_cast<__m512>(p), reinterpret_cast<__m512>(k));
  return reinterpret_cast<V>(_mm512_mask_blend_ps(too_high, y, _mm512_set1_ps(__builtin_inff())));
#else
  const V two_to_k = bits_to_float((float_to_bits(shifted) - float_to_bits(magic) + 127) << 23);
  const V y = p * two_to_k;
  return x < low ? splat(0.0f) : (x > high ? splat(__builtin_inff()) : y);
#endif
}

inline V sqrt_of(V x) {
#if defined(__AVX512F__)
  return reinterpret_cast<V>(_mm512_mask_sqrt_ps(_mm512_setzero_ps(), 0xffff, reinterpret_cast<__m512>(x)));
#elif defined(__AVX2__)
  return reinterpret_cast<V>(_mm256_sqrt_ps(reinterpret_cast<__m256>(x)));
#else
  V y;
  for (int i = 0; i < kLanes; ++i) y[i] = __builtin_sqrtf(x[i]);
  return y;
#endif
}

inline V magnitude(V x) { return bits_to_float(float_to_bits(x) & 0x7fffffff); }
inline V tanh_of(V x) {
  const V a = magnitude(x);
  const V large = 1.0f - 2.0f / (exp_of(2.0f * a) + 1.0f);
  // Near 0 the subtraction from 1 would lose digits, so the series x - x^3/3 + 2x^5/15 - 17x^7/315 + 62x^9/2835 is used.
  const V s = a * a;
  const V small = a * (((((s * 0.021869489f) - 0.053968254f) * s + 0.13333333f) * s - 0.33333333f) * s + 1.0f);
  const V y = a < splat(0.3f) ? small : large;
  return x < splat(0) ? -y : y;
}

// Transposes 8 x 8 numbers, from rows `from` floats apart to rows `to` floats apart, in three rounds of exchanges between pairs
// of rows. transpose8(x, 64, y, 8) makes y[i * 8 + j] = x[j * 64 + i].
inline void transpose8(const float* __restrict x, std::int64_t from, float* __restrict y, std::int64_t to) {
  using V8 = float __attribute__((vector_size(32)));
  V8 r[8], t[8];
  for (int i = 0; i < 8; ++i) __builtin_memcpy(&r[i], x + i * from, sizeof(V8));
  for (int i = 0; i < 8; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; ++j) {
      r[i + j] = __builtin_shufflevector(t[i + j], t[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      r[i + j + 2] = __builtin_shufflevector(t[i + j], t[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    t[i] = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    t[i + 4] = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int i = 0; i < 8; ++i) __builtin_memcpy(y + i * to, &t[i], sizeof(V8));
}

#if defined(__AVX512F__)
// transpose8() for 16 x 16 numbers, with half as many shuffles for each number.
inline void transpose16(const float* __restrict x, std::int64_t from, float* __restrict y, std::int64_t to) {
  V r[16], t[16];
  for (int i = 0; i < 16; ++i) r[i] = load(x + i * from);
  for (int i = 0; i < 16; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  }
  // r[4 g + c] has, in each quarter q, column 4 q + c of rows 4 g to 4 g + 3.
  for (int i = 0; i < 16; i += 4) {
    for (int j = 0; j < 2; ++j) {
      r[i + 2 * j] = __builtin_shufflevector(t[i + j], t[i + j + 2], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
      r[i + 2 * j + 1] =
          __builtin_shufflevector(t[i + j], t[i + j + 2], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
  }
  const auto even = [](V a, V b) {  // quarters 0 and 2 of both
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
  };
  const auto odd = [](V a, V b) {
    return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  };
  for (int c = 0; c < 4; ++c) {
    const V a = even(r[c], r[4 + c]), b = even(r[8 + c], r[12 + c]);
    const V d = odd(r[c], r[4 + c]), e = odd(r[8 + c], r[12 + c]);
    store(y + c * to, even(a, b));
    store(y + (4 + c) * to, even(d, e));
    store(y + (8 + c) * to, odd(a, b));
    store(y + (12 + c) * to, odd(d, e));
  }
}
#endif

#if defined(__AVX2__)
inline __m128i sixteen_at(const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

// Sixteen bytes of each of kLanes columns, turned: bytes 4 i to 4 i + 3 of every column are y[i].
inline void turn_bytes(const std::uint8_t* const* at, std::int64_t offset, I* y) {
  I z[4];
  for (int i = 0; i < 4; ++i) {
    const auto quarter = [&](int q) { return sixteen_at(at[4 * q + i] + offset); };
#if defined(__AVX512F__)
    __m512i all = _mm512_zextsi128_si512(quarter(0));
    all = _mm512_inserti32x4(all, quarter(1), 1);
    all = _mm512_inserti32x4(all, quarter(2), 2);
    z[i] = reinterpret_cast<I>(_mm512_inserti32x4(all, quarter(3), 3));
#else
    z[i] = reinterpret_cast<I>(_mm256_inserti128_si256(_mm256_zextsi128_si256(quarter(0)), quarter(1), 1));
#endif
  }
  // The four dwords of each quarter are exchanged with those of the other three registers.
#if defined(__AVX512F__)
  const auto low = [](I a, I b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  };
  const auto high = [](I a, I b) {
    return __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  };
  const auto lows = [](I a, I b) {
    return __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
  };
  const auto highs = [](I a, I b) {
    return __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  };
#else
  const auto low = [](I a, I b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13); };
  const auto high = [](I a, I b) { return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15); };
  const auto lows = [](I a, I b) { return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13); };
  const auto highs = [](I a, I b) { return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15); };
#endif
  const I a = low(z[0], z[1]), b = high(z[0], z[1]), c = low(z[2], z[3]), d = high(z[2], z[3]);
  y[0] = lows(a, c);
  y[1] = highs(a, c);
  y[2] = lows(b, d);
  y[3] = highs(b, d);
}
#endif

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
