// Stands in for the CUDA headers when kernel files are compiled as C++ for tests on machines without a GPU. A block's threads are
// fibers of one CPU thread that run one after another from barrier to barrier, so indices, tails, barriers and exchanges between
// lanes are those of the real source. What it finds: wrong results, reads and writes outside of allocations (under
// AddressSanitizer), threads that wait at different barriers, and, since the order of threads can be turned round, most missing
// barriers. What it cannot find: anything of the hardware, speed, memory order within a warp. Not for timing.
//
// The runtime's functions are in cuda_runtime_emulation.h.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

namespace headlight::emulation {

extern dim3 thread_index, block_index, block_size, grid_size;

void sync_threads(int line);  // every thread of the block, at one place
constexpr int kSlot = 128;    // bytes a lane may pass in one exchange
void sync_warp();
// What lane `from` of this warp passed in the same call.
std::uint64_t exchange(std::uint64_t bits, int from);
// All lanes' values: slot i of the result is lane i's; valid until the next exchange of the warp.
const void* exchange_all(const void* value, std::size_t bytes);
unsigned char* dynamic_shared();
// Blocks of a cluster: which one this is, what `own` (in its dynamic shared memory) is in block `rank`, all their threads'
// barrier.
int cluster_rank();
unsigned char* shared_of_rank(const void* own, int rank);
void sync_cluster();
// Copies that a thread begins and that are made only when it waits for them: all groups but the last `left`. From null: zeros.
void copy_later(void* to, const void* from, std::size_t bytes);
void commit_copies();
void wait_copies(int left);
int lane();

template <class T>
T exchanged(T value, int from) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = exchange(bits, from);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Runs a kernel's blocks one after another, `cluster` neighbours along x together.
void run(dim3 grid, dim3 block, int cluster, std::size_t shared_bytes, const std::function<void()>& kernel);

// Kernels run so far; of the last one the bytes of dynamic shared memory and the blocks of a cluster.
std::int64_t kernels_run();
std::size_t shared_of_last_kernel();
int cluster_of_last_kernel();
void turn_round(bool backwards);  // threads take turns from the last to the first

}  // namespace headlight::emulation

inline dim3& threadIdx = headlight::emulation::thread_index;
inline dim3& blockIdx = headlight::emulation::block_index;
inline dim3& blockDim = headlight::emulation::block_size;
inline dim3& gridDim = headlight::emulation::grid_size;
#define __syncthreads() headlight::emulation::sync_threads(__LINE__)
inline void __syncwarp(unsigned = 0xffffffffu) { headlight::emulation::sync_warp(); }
template <class T>
T __shfl_xor_sync(unsigned, T value, int step) {
  return headlight::emulation::exchanged(value, headlight::emulation::lane() ^ step);
}
template <class T>
T __shfl_sync(unsigned, T value, int from) {
  return headlight::emulation::exchanged(value, from);
}

#include "gpu/emulation/cuda_runtime_emulation.h"

#define HL_DYNAMIC_SHARED(Type, name) Type* const name = reinterpret_cast<Type*>(headlight::emulation::dynamic_shared())
