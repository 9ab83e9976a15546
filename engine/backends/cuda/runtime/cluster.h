// The shared memory of a cluster's blocks (compute capability 9.0), launches that overlap, and copies to shared memory that run
// while a block computes. The part under HEADLIGHT_CUDA_EMULATION defines the same functions for tests, which run kernels on the
// CPU. Sources: PTX ISA 8.0, "mapa", "barrier.cluster", "griddepcontrol", "cp.async".
#pragma once

#include "engine/backends/cuda/runtime/device.h"

#if defined(HEADLIGHT_CUDA_EMULATION) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
#define HL_CLUSTERS 1
#else
#define HL_CLUSTERS 0
#endif

namespace headlight::backends::cuda {

constexpr int kMostRanks = 8;  // blocks of a cluster that every GPU with clusters can launch

#if defined(HEADLIGHT_CUDA_EMULATION)

inline int rank_in_cluster() { return headlight::emulation::cluster_rank(); }
// The address in block `rank` of the cluster that corresponds to `own` in this block's dynamic shared memory.
// of_rank(sums, 0) is where the first block has its sums.
template <class T>
T* of_rank(T* own, int rank) {
  return reinterpret_cast<T*>(headlight::emulation::shared_of_rank(own, rank));
}
inline void arrive_in_cluster() {}
inline void wait_for_cluster() { headlight::emulation::sync_cluster(); }
inline void wait_for_last_launch() {}
inline void let_next_launch_start() {}
inline void copy_4_floats(float* to, const float* from, bool there) {
  headlight::emulation::copy_later(to, there ? from : nullptr, 16);
}
inline void end_group_of_copies() { headlight::emulation::commit_copies(); }
template <int kLeft>
void wait_for_groups_of_copies() {
  headlight::emulation::wait_copies(kLeft);
}

#elif HL_CLUSTERS

__device__ __forceinline__ int rank_in_cluster() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}
template <class T>
__device__ __forceinline__ T* of_rank(T* own, int rank) {
  std::uint64_t there;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(reinterpret_cast<std::uint64_t>(own)), "r"(rank));
  return reinterpret_cast<T*>(there);
}
// A barrier over all threads of the cluster's blocks: writes before arriving are visible after waiting. Lanes of a warp may
// arrive separately.
__device__ __forceinline__ void arrive_in_cluster() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
__device__ __forceinline__ void wait_for_cluster() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
// Returns when earlier launches have ended and their results can be read.
__device__ __forceinline__ void wait_for_last_launch() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
// Lets blocks of the next launch start once all blocks of this launch have called this function. They call wait_for_last_launch()
// before they read.
__device__ __forceinline__ void let_next_launch_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
// Starts a copy of 16 aligned bytes to shared memory that bypasses the first-level cache, or writes zeros if not `there`.
// copy_4_floats(tile + 4 * i, row + 4 * i, 4 * i < inner) copies chunk i of a row.
__device__ __forceinline__ void copy_4_floats(float* to, const float* from, bool there) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(there ? 16 : 0) : "memory");
}
__device__ __forceinline__ void end_group_of_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kLeft>
__device__ __forceinline__ void wait_for_groups_of_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

#endif

#if HL_CLUSTERS
__device__ __forceinline__ void sync_cluster() {
  arrive_in_cluster();
  wait_for_cluster();
}
#endif

}  // namespace headlight::backends::cuda
