// Stands in for the CUDA headers when kernel files are compiled as C++ for tests on machines without a GPU. A block's threads are
// fibers of one CPU thread that run one after another from barrier to barrier, so indices, tails, barriers and exchanges between
// lanes are those of the real source. What it finds: wrong results, reads and writes outside of allocations (under
// AddressSanitizer), threads that wait at different barriers, and, since the order of threads can be turned round, most missing
// barriers. What it cannot find: anything of the hardware, speed, memory order within a warp. Not for timing.
//
// The runtime's functions are here too, over ordinary memory that is filled with NaN and counted.
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

// --- control, for tests -----------------------------------------------------------------------------------------------------
void set_backwards(bool backwards);    // threads take turns from the last to the first
void set_memory(std::uint64_t bytes);  // of the pretended GPU
void set_devices(int count);           // 0: no GPU, as cudaErrorNoDevice; -1: no driver
void set_multiprocessors(int count);   // 4 unless told; of a session opened later
std::int64_t live_allocations();       // device and pinned, streams, events and graphs
std::int64_t launches();
int last_cluster();         // blocks of a cluster of the last launch
std::size_t last_shared();  // bytes of dynamic shared memory of the last launch: which kernel it was

}  // namespace headlight::emulation

#define threadIdx (headlight::emulation::thread_index)
#define blockIdx (headlight::emulation::block_index)
#define blockDim (headlight::emulation::block_size)
#define gridDim (headlight::emulation::grid_size)
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

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidPc = 718,
  cudaErrorInsufficientDriver = 35,
  cudaErrorDevicesUnavailable = 46,
  cudaErrorNoDevice = 100,
  cudaErrorDeviceUninitialized = 201,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorECCUncorrectable = 214,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchTimeout = 702,
  cudaErrorContextIsDestroyed = 709,
  cudaErrorHardwareStackError = 714,
  cudaErrorIllegalInstruction = 715,
  cudaErrorMisalignedAddress = 716,
  cudaErrorInvalidAddressSpace = 717,
  cudaErrorLaunchFailure = 719,
  cudaErrorSystemNotReady = 802,
  cudaErrorUnknown = 999,
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaDeviceAttr {
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrClusterLaunch,
  cudaDevAttrMaxSharedMemoryPerBlockOptin
};
enum { cudaStreamNonBlocking = 1 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
struct cudaDeviceProp {
  char name[256];
};
struct EmulatedStream;
struct EmulatedGraph;
using cudaStream_t = EmulatedStream*;
using cudaEvent_t = double*;
using cudaGraph_t = EmulatedGraph*;
using cudaGraphExec_t = EmulatedGraph*;

const char* cudaGetErrorString(cudaError_t status);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all);
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);

namespace headlight::emulation {
// Queues the work: run at once, or kept in the graph that the stream records.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);
}  // namespace headlight::emulation

#define HL_DYNAMIC_SHARED(Type, name) Type* const name = reinterpret_cast<Type*>(headlight::emulation::dynamic_shared())

namespace headlight::backends::cuda {

constexpr std::size_t kEmulatedShared = 227u << 10;  // as on Hopper
inline int emulated_code(const void*, int) { return 90; }

struct Shape {  // as in device.h
  dim3 grid, block;
  std::size_t shared = 0;
  int cluster = 1;
  bool overlaps = false;
};

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), const Shape& shape, cudaStream_t stream, const Arguments&... arguments) {
  const unsigned threads = shape.block.x * shape.block.y * shape.block.z;
  if (threads == 0 || threads > 1024 || shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.y > 65535 ||
      shape.shared > kEmulatedShared)
    return cudaErrorInvalidConfiguration;
  return headlight::emulation::enqueue(stream, [=] {
    headlight::emulation::run(shape.grid, shape.block, shape.cluster, shape.shared, [&] { kernel(arguments...); });
  });
}

}  // namespace headlight::backends::cuda
