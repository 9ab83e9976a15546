// Hopper's warpgroup products (wgmma, compute capability 9.0, code for sm_90a) and the copies that feed them. The part under
// HEADLIGHT_CUDA_EMULATION computes the same on the CPU, for tests. Sources: PTX ISA 8.0 and later, "Asynchronous Warpgroup Level
// Matrix Instructions" (fragments, matrix descriptor, swizzled layouts, strides) and "cp.async".
//
// A warpgroup of four warps (128 threads) multiplies A [64, 16] by B [16, 64] into C [64, 64], in bfloat16 with float32 sums.
// Warp w holds rows 16 w .. 16 w + 15 of C in the fragments of tensor_core.h: c[n][0 .. 3] of a lane is its part of the eight
// columns from 8 n on. A lies in shared memory, or in registers: then a[0 .. 3] is the lane's part of its warp's rows.
//
// Matrices in shared memory have rows of 128 bytes, which are 64 numbers. The eight 16-byte chunks of a row are permuted: chunk c
// of row r is stored at place c ^ (r % 8), so that neither copies nor products have bank conflicts. A stored row holds 64
// inner numbers of one row of A; of B it holds the numbers of 64 columns at one inner index (kByRows), or 64 inner numbers of one
// column.
#pragma once

#include "engine/backends/cuda/runtime/copies.h"
#include "engine/backends/cuda/runtime/tensor_core.h"

#if defined(HEADLIGHT_CUDA_EMULATION) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HL_WARPGROUPS 1
#else
#define HL_WARPGROUPS 0
#endif

namespace headlight::backends::cuda {

constexpr int kSwizzledRow = 128, kSwizzledGroup = 8 * kSwizzledRow;  // bytes; a group of rows begins at a multiple of its size

// The byte offset of chunk `chunk` (16 bytes) of row `row` in a matrix of such rows. swizzled(1, 0) is 128 + 16 = 144.
HL_HD int swizzled(int row, int chunk) { return row * kSwizzledRow + (chunk ^ (row & 7)) * 16; }

// The matrix descriptor of a matrix at this address of shared memory: the address, the step from one group of 8 rows to the next,
// and the code of the 128-byte swizzle. Addresses and steps are stored without their lowest four bits, in 14 bits. The leading
// step has no meaning here, because a row is one swizzled unit.
HL_HD std::uint64_t described(std::uint32_t address) {
  return std::uint64_t{(address & 0x3ffffu) >> 4} | std::uint64_t{1} << 16 | std::uint64_t{kSwizzledGroup >> 4} << 32 |
         std::uint64_t{1} << 62;
}

#if defined(HEADLIGHT_CUDA_EMULATION)

constexpr std::uint32_t kSharedBegin = 1040;  // no multiple of a group's size, as dynamic shared memory may begin on a GPU, too

inline std::uint32_t shared_address(const void* at) {
  return kSharedBegin +
         static_cast<std::uint32_t>(static_cast<const unsigned char*>(at) - headlight::emulation::dynamic_shared());
}
inline void copy_16_bytes(void* to, const void* from) { headlight::emulation::copy_later(to, from, 16); }
inline void end_copies() { headlight::emulation::commit_copies(); }
template <int kLeft>
void wait_for_copies() {
  headlight::emulation::wait_copies(kLeft);
}
inline void show_copies_to_products() {}
inline void begin_products() {}
inline void end_products() {}
inline void wait_for_products() {}
template <int kCount>
void hold(float (*)[4]) {}

// Finds a number of A or B as the hardware does, from the descriptor's address and step, with the swizzle applied to the address
// itself. of_matrix(a, false, k, row) is A(row, k); of_matrix(b, by_rows, k, column) is B(k, column).
inline float of_matrix(std::uint64_t descriptor, bool by_rows, int inner, int column) {
  const auto address = static_cast<std::uint32_t>(descriptor & 0x3fffu) << 4;
  const auto group = static_cast<std::uint32_t>(descriptor >> 32 & 0x3fffu) << 4;
  const auto row = static_cast<std::uint32_t>(by_rows ? inner : column),
             along = static_cast<std::uint32_t>(by_rows ? column : inner);
  std::uint32_t at = address + row / 8 * group + row % 8 * kSwizzledRow + along * 2;
  if (descriptor >> 62 == 1) at ^= (at >> 7 & 7u) << 4;
  std::uint16_t bits;
  std::memcpy(&bits, headlight::emulation::dynamic_shared() + (at - kSharedBegin), sizeof bits);
  return float_of(std::uint32_t{bits} << 16);
}

// A block's threads are numbered warpgroup by warpgroup, so that a warp's rows of A follow from its number.
template <bool kByRows, bool kAdds = true>
void multiply_warpgroup(float (*c)[4], std::uint64_t a, std::uint64_t b) {
  const int g = headlight::emulation::lane() / 4, t = headlight::emulation::lane() % 4;
  const int rows_of_warp = static_cast<int>(threadIdx.x) % 128 / 32 * 16;
  for (int n = 0; n < 8; ++n)
    for (int i = 0; i < 4; ++i) {
      float sum = kAdds ? c[n][i] : 0.0f;
      for (int k = 0; k < 16; ++k)
        sum += of_matrix(a, false, k, rows_of_warp + g + i / 2 * 8) * of_matrix(b, kByRows, k, 8 * n + 2 * t + i % 2);
      c[n][i] = sum;
    }
}

template <bool kByRows>
void multiply_warpgroup_first(float (*c)[4], std::uint64_t a, std::uint64_t b) {
  multiply_warpgroup<kByRows, false>(c, a, b);
}

template <bool kByRows>
void multiply_warpgroup(float (*c)[4], const std::uint32_t* a, std::uint64_t b) {
  const auto* const base = static_cast<const unsigned char*>(headlight::emulation::exchange_all(a, 4 * sizeof *a));
  const int g = headlight::emulation::lane() / 4, t = headlight::emulation::lane() % 4;
  for (int n = 0; n < 8; ++n)
    for (int i = 0; i < 4; ++i) {
      const int row = g + i / 2 * 8, column = 8 * n + 2 * t + i % 2;
      float sum = c[n][i];
      for (int k = 0; k < 16; ++k) {
        std::uint32_t words[4];
        std::memcpy(words, base + (row % 8 * 4 + k % 8 / 2) * headlight::emulation::kSlot, sizeof words);
        const std::uint32_t x = words[row / 8 + k / 8 * 2];
        sum += float_of((k % 2 ? x >> 16 : x & 0xffffu) << 16) * of_matrix(b, kByRows, k, column);
      }
      c[n][i] = sum;
    }
  headlight::emulation::sync_warp();
}

#elif HL_WARPGROUPS

__device__ __forceinline__ std::uint32_t shared_address(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

// Asynchronous copies of 16 bytes from global to shared memory: copy_16_bytes(tile, from) starts one, end_copies() closes a group
// of copies, and wait_for_copies<kLeft>() waits for all but the last kLeft groups of this thread.
__device__ __forceinline__ void copy_16_bytes(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kLeft>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}
// Makes this thread's writes to shared memory visible to products after the next barrier.
__device__ __forceinline__ void show_copies_to_products() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Products are asynchronous. Call begin_products() after their registers were written, then the products, then end_products().
// Call wait_for_products() before the registers are read or written again.
__device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wait_for_products() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }
// Keeps the compiler from moving uses of the registers c[kCount][4] across this place, and from keeping copies of them.
template <int kCount>
__device__ __forceinline__ void hold(float (*c)[4]) {
#pragma unroll
  for (int n = 0; n < kCount; ++n) asm volatile("" : "+f"(c[n][0]), "+f"(c[n][1]), "+f"(c[n][2]), "+f"(c[n][3])::"memory");
}

// The 32 sums c[8][4] of a lane, as operands, and as operand numbers in the instruction's text.
#define HL_SUMS_OF(with, n) with(c[n][0]), with(c[n][1]), with(c[n][2]), with(c[n][3])
#define HL_SUMS(with)                                                                                                           \
  HL_SUMS_OF(with, 0), HL_SUMS_OF(with, 1), HL_SUMS_OF(with, 2), HL_SUMS_OF(with, 3), HL_SUMS_OF(with, 4), HL_SUMS_OF(with, 5), \
      HL_SUMS_OF(with, 6), HL_SUMS_OF(with, 7)
#define HL_SUMS_BY_NUMBER                                                   \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "

// c = A B, with the descriptors a and b of matrices in shared memory. The two forms of multiply_warpgroup compute c += A B, with
// A in shared memory or in the registers a[4]. All 128 threads call them; results are ready after wait_for_products(). The first
// form does not read c, so that its registers need no zeros while products run.
// multiply_warpgroup_first<false>(s, described(queries), described(keys)): the scores of 64 queries and 64 keys, over 16 numbers.
template <bool kByRows>
__device__ __forceinline__ void multiply_warpgroup_first(float (*c)[4], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "{\n"
      ".reg .pred adds;\n"
      "setp.ne.b32 adds, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " HL_SUMS_BY_NUMBER
      "%32, %33, adds, 1, 1, 0, %34;\n"
      "}\n"
      : HL_SUMS("=f")
      : "l"(a), "l"(b), "n"(kByRows ? 1 : 0));
}
template <bool kByRows>
__device__ __forceinline__ void multiply_warpgroup(float (*c)[4], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "{\n"
      ".reg .pred adds;\n"
      "setp.eq.b32 adds, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " HL_SUMS_BY_NUMBER
      "%32, %33, adds, 1, 1, 0, %34;\n"
      "}\n"
      : HL_SUMS("+f")
      : "l"(a), "l"(b), "n"(kByRows ? 1 : 0));
}
template <bool kByRows>
__device__ __forceinline__ void multiply_warpgroup(float (*c)[4], const std::uint32_t* a, std::uint64_t b) {
  asm volatile(
      "{\n"
      ".reg .pred adds;\n"
      "setp.eq.b32 adds, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " HL_SUMS_BY_NUMBER
      "{%32, %33, %34, %35}, %36, adds, 1, 1, %37;\n"
      "}\n"
      : HL_SUMS("+f")
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(kByRows ? 1 : 0));
}

#undef HL_SUMS_OF
#undef HL_SUMS
#undef HL_SUMS_BY_NUMBER

#endif

}  // namespace headlight::backends::cuda
