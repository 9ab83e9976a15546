// Products of small tiles on the tensor cores (mma.sync, compute capability 8.0 and later): a warp computes C += A B, with
// A [16, k], B [k, 8] and C [16, 8]. The part under HEADLIGHT_CUDA_EMULATION computes the same on the CPU, for tests. Lane 4 g +
// t of the warp holds these (row, column) of the matrices, with g in 0 .. 7 and t in 0 .. 3:
//   C: c0 (g, 2t), c1 (g, 2t + 1), c2 (g + 8, 2t), c3 (g + 8, 2t + 1)
//   bf16, k = 16, two numbers a register, the first one in the lower half; "2t.." stands for 2t and 2t + 1:
//     A: a0 (g, 2t..), a1 (g + 8, 2t..), a2 (g, 2t + 8..), a3 (g + 8, 2t + 8..);  B: b0 (2t.., g), b1 (2t + 8.., g)
//   tf32, k = 8, one number a register:
//     A: a0 (g, t), a1 (g + 8, t), a2 (g, t + 4), a3 (g + 8, t + 4);  B: b0 (t, g), b1 (t + 4, g)
#pragma once

#include <cstring>

#include "engine/backends/cuda/runtime/device.h"

#if defined(HEADLIGHT_CUDA_EMULATION) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800)
#define HL_TENSOR_CORES 1
#else
#define HL_TENSOR_CORES 0
#endif

namespace headlight::backends::cuda {

// Rounding of a float's bits. bfloat16: to the nearest, ties to even, into the lower 16 bits. tf32: to 10 bits of mantissa, ties
// away from zero, in place. bf16_bits(0x3f800000) is 0x3f80: 1.
HL_HD std::uint32_t bf16_bits(std::uint32_t float_bits) {
  if ((float_bits & 0x7fffffffu) > 0x7f800000u) return (float_bits >> 16) | 0x40u;  // NaN stays NaN
  return (float_bits + 0x7fffu + ((float_bits >> 16) & 1u)) >> 16;
}
HL_HD std::uint32_t tf32_bits(std::uint32_t float_bits) {
  if ((float_bits & 0x7f800000u) == 0x7f800000u) return float_bits & 0xffffe000u;
  return (float_bits + 0x1000u) & 0xffffe000u;
}

HL_HD std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
HL_HD float float_of(std::uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#if defined(HEADLIGHT_CUDA_EMULATION)

// Two numbers rounded to bfloat16 in one word, and one number rounded to tf32. bf16_pair(1, 2) is 0x40003f80.
inline std::uint32_t bf16_pair(float low, float high) { return bf16_bits(bits_of(low)) | bf16_bits(bits_of(high)) << 16; }
inline std::uint32_t tf32(float x) { return tf32_bits(bits_of(x)) | (x != x ? 0x400000u : 0u); }

struct Fragments {
  std::uint32_t a[4], b[2];
};
// Adds to c the sum over k < inner of A(row, k) B(k, column). value(of, row, column, k) is one product of this sum, whose factors
// it fetches from the lanes and registers that hold them; of(lane) gives a lane's registers.
template <class Value>
void multiply_fragments(float* c, const std::uint32_t* a, const std::uint32_t* b, int inner, Value&& value) {
  Fragments own;
  std::memcpy(own.a, a, sizeof own.a);
  std::memcpy(own.b, b, sizeof own.b);
  const auto* const base = static_cast<const unsigned char*>(headlight::emulation::exchange_all(&own, sizeof own));
  const int g = headlight::emulation::lane() / 4, t = headlight::emulation::lane() % 4;
  const auto of = [&](int lane) { return reinterpret_cast<const Fragments*>(base + lane * headlight::emulation::kSlot); };
  for (int i = 0; i < 4; ++i) {
    const int row = g + i / 2 * 8, column = 2 * t + i % 2;
    float sum = c[i];
    for (int k = 0; k < inner; ++k) sum += value(of, row, column, k);
    c[i] = sum;
  }
  headlight::emulation::sync_warp();
}
// C += A B for a warp. All 32 lanes call it with their fragments: mma_bf16(c, a, b) with c[4], a[4], b[2] and k = 16; mma_tf32
// the same with k = 8.
inline void mma_bf16(float* c, const std::uint32_t* a, const std::uint32_t* b) {
  multiply_fragments(c, a, b, 16, [](auto&& of, int row, int column, int k) {
    const std::uint32_t x = of(row % 8 * 4 + k % 8 / 2)->a[row / 8 + k / 8 * 2], y = of(column * 4 + k % 8 / 2)->b[k / 8];
    return float_of((k % 2 ? x >> 16 : x & 0xffffu) << 16) * float_of((k % 2 ? y >> 16 : y & 0xffffu) << 16);
  });
}
inline void mma_tf32(float* c, const std::uint32_t* a, const std::uint32_t* b) {
  multiply_fragments(c, a, b, 8, [](auto&& of, int row, int column, int k) {
    return float_of(of(row % 8 * 4 + k % 4)->a[row / 8 + k / 4 * 2]) * float_of(of(column * 4 + k % 4)->b[k / 4]);
  });
}

#elif HL_TENSOR_CORES

__device__ __forceinline__ std::uint32_t bf16_pair(float low, float high) {
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
__device__ __forceinline__ std::uint32_t tf32(float x) {
  std::uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}
__device__ __forceinline__ void mma_bf16(float* c, const std::uint32_t* a, const std::uint32_t* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mma_tf32(float* c, const std::uint32_t* a, const std::uint32_t* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#endif

}  // namespace headlight::backends::cuda
