// The shared memory of a cluster's blocks (compute capability 9.0), and launches that overlap. The part under
// HEADLIGHT_CUDA_EMULATION defines the same functions for tests, which run kernels on the CPU. Sources: PTX ISA 8.0, "mapa",
// "barrier.cluster", "griddepcontrol".
#pragma once

#include "engine/backends/cuda/runtime/copies.h"
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
inline void arrive_having_read() {}
inline void wait_for_cluster() { headlight::emulation::sync_cluster(); }
inline void wait_for_last_launch() {}
inline void let_next_launch_start() {}

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
// The same for a block that wrote nothing that the others will read: it does not wait for its writes.
__device__ __forceinline__ void arrive_having_read() { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
__device__ __forceinline__ void wait_for_cluster() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
// Returns when earlier launches have ended and their results can be read.
__device__ __forceinline__ void wait_for_last_launch() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
// Lets blocks of the next launch start once all blocks of this launch have called this function. They call wait_for_last_launch()
// before they read.
__device__ __forceinline__ void let_next_launch_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

#endif

#if HL_CLUSTERS
__device__ __forceinline__ void sync_cluster() {
  arrive_in_cluster();
  wait_for_cluster();
}
#endif

}  // namespace headlight::backends::cuda
