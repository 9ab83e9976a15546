// Replaces the CUDA headers when kernel files are compiled as C++ for tests on machines without a GPU. A block's threads are
// fibers of one CPU thread that run one after another from barrier to barrier, so indices, tails, barriers and exchanges between
// lanes are those of the real source. It finds wrong results, reads and writes outside of allocations (under AddressSanitizer),
// threads that wait at different barriers and, because the order of threads can be reversed, most missing barriers. It cannot
// test the hardware, its speed, or the memory order within a warp. Do not use it for timing.
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

void sync_threads(int line);  // every thread of the block must call it at the same place
constexpr int kSlot = 128;    // the most bytes a lane may pass in one exchange
void sync_warp();
// The bits that lane `from` of this warp passed in the same call.
std::uint64_t exchange(std::uint64_t bits, int from);
// The values of all lanes: slot i of the result is lane i's; valid until the warp's next exchange.
const void* exchange_all(const void* value, std::size_t bytes);
unsigned char* dynamic_shared();
// For clusters: this block's rank, the address in block `rank` that corresponds to `own` (in dynamic shared memory), and a
// barrier of all threads.
int cluster_rank();
unsigned char* shared_of_rank(const void* own, int rank);
void sync_cluster();
// Copies that a thread begins; they are made only when it waits for all groups but the last `left`. From null: zeros.
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

// Runs a kernel's blocks one after another; `cluster` neighbours along x run together.
void run(dim3 grid, dim3 block, int cluster, std::size_t shared_bytes, const std::function<void()>& kernel);

// The number of kernels run so far; and of the last one the bytes of dynamic shared memory and the blocks of a cluster.
std::int64_t kernels_run();
std::size_t shared_of_last_kernel();
int cluster_of_last_kernel();
void turn_round(bool backwards);  // threads run from the last to the first

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
