// A register of floats in the width of the instruction set this file is compiled for, and exp, erfc, tanh on it.
// Vector extensions of GCC and Clang: + - * / and comparisons work by lane, `m ? a : b` selects by lane.
#pragma once

#include <cstdint>

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
// x - 0 is x for every x; the compilers fold it into one broadcast (filling lane by lane they do not).
inline V splat(float x) { return x - V{}; }
// The first `count` lanes, the others `fill`.
inline V load_part(const float* p, std::int64_t count, float fill) {
  V v = splat(fill);
  for (int i = 0; i < kLanes; ++i) {
    if (i < count) v[i] = p[i];
  }
  return v;
}
inline void store_part(float* p, std::int64_t count, V v) {
  for (int i = 0; i < kLanes; ++i) {
    if (i < count) p[i] = v[i];
  }
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

inline float sum_of(V v) {
  // Halves added to halves: log2(lanes) steps.
  float x[kLanes];
  __builtin_memcpy(x, &v, sizeof(v));
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) x[i] += x[i + half];
  }
  return x[0];
}
inline float max_of(V v) {
  float x[kLanes];
  __builtin_memcpy(x, &v, sizeof(v));
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) x[i] = x[i + half] > x[i] ? x[i + half] : x[i];
  }
  return x[0];
}

// e^x: x = k ln 2 + r with |r| <= ln(2)/2, e^r by a polynomial fitted in the least-squares sense on Chebyshev nodes
// (relative error 1e-8 before rounding). Below -87.3 exactly 0, above 88 infinity; NaN stays NaN.
inline V exp_of(V x) {
  const V low = splat(-87.3f);
  const V high = splat(88.0f);
  const V inside = x < low ? low : (x > high ? high : x);
  // Adding 1.5 * 2^23 rounds to an integer, which then lies in the low bits.
  const V magic = splat(12582912.0f);
  const V shifted = inside * 1.44269504f + magic;
  const V k = shifted - magic;
  const V r = (inside - k * 0.693359375f) + k * 2.12194440e-4f;
  V p = r * 0.0013933733571f + 0.0083632357418f;
  p = p * r + 0.0416664630175f;
  p = p * r + 0.1666657626629f;
  p = p * r + 0.5f;
  p = (p * r) * r + r + 1.0f;
  const V two_to_k = bits_to_float((float_to_bits(shifted) - float_to_bits(magic) + 127) << 23);
  const V y = p * two_to_k;
  return x < low ? splat(0.0f) : (x > high ? splat(__builtin_inff()) : y);
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
