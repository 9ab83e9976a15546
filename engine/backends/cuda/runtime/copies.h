// Copies to shared memory that run while a block computes (compute capability 8.0 and later), writes of what is not read again,
// and fast powers of two. The part under HEADLIGHT_CUDA_EMULATION defines the same functions for tests, which run kernels on the
// CPU. Sources: PTX ISA 8.0, "cp.async", "st", "ex2".
#pragma once

#include "engine/backends/cuda/runtime/device.h"

#if defined(HEADLIGHT_CUDA_EMULATION) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800)
#define HL_COPIES 1
#else
#define HL_COPIES 0
#endif

namespace headlight::backends::cuda {

#if defined(HEADLIGHT_CUDA_EMULATION)

inline void copy_4_floats(float* to, const float* from, bool there) {
  headlight::emulation::copy_later(to, there ? from : nullptr, 16);
}
inline void copy_4_words(std::uint32_t* to, const std::uint32_t* from) { headlight::emulation::copy_later(to, from, 16); }
inline void end_group_of_copies() { headlight::emulation::commit_copies(); }
template <int kLeft>
void wait_for_groups_of_copies() {
  headlight::emulation::wait_copies(kLeft);
}
inline void write_4_floats(float* to, float4 x) { *reinterpret_cast<float4*>(to) = x; }
inline float power_of_two(float x) { return std::exp2(x); }

#elif HL_COPIES

// Starts a copy of 16 aligned bytes to shared memory that bypasses the first-level cache, or writes zeros if not `there`.
// copy_4_floats(tile + 4 * i, row + 4 * i, 4 * i < inner) copies chunk i of a row.
__device__ __forceinline__ void copy_4_floats(float* to, const float* from, bool there) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(there ? 16 : 0) : "memory");
}
__device__ __forceinline__ void copy_4_words(std::uint32_t* to, const std::uint32_t* from) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}
__device__ __forceinline__ void end_group_of_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kLeft>
__device__ __forceinline__ void wait_for_groups_of_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}
// Writes 16 aligned bytes that will not be read soon: the caches drop them first.
__device__ __forceinline__ void write_4_floats(float* to, float4 x) { __stcs(reinterpret_cast<float4*>(to), x); }
// 2^x.
__device__ __forceinline__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

#endif

}  // namespace headlight::backends::cuda
