// Replaces the functions of the CUDA runtime in tests without a GPU. Device memory is ordinary memory, filled with NaN and
// counted. A stream is a queue that runs only where CUDA guarantees that work is done: at a wait, a copy to pageable memory,
// freeing. Calls that a recording stream refuses are refused here, too, and invalidate the recording. Sources: CUDA runtime API,
// "Stream Management", "API synchronization behavior" and the functions' own pages.
#pragma once

#include <cstddef>
#include <functional>

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInsufficientDriver = 35,
  cudaErrorDevicesUnavailable = 46,
  cudaErrorNoDevice = 100,
  cudaErrorDeviceUninitialized = 201,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorECCUncorrectable = 214,
  cudaErrorInvalidPtx = 218,
  cudaErrorJitCompilerNotFound = 221,
  cudaErrorUnsupportedPtxVersion = 222,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchTimeout = 702,
  cudaErrorContextIsDestroyed = 709,
  cudaErrorHardwareStackError = 714,
  cudaErrorIllegalInstruction = 715,
  cudaErrorMisalignedAddress = 716,
  cudaErrorInvalidAddressSpace = 717,
  cudaErrorInvalidPc = 718,
  cudaErrorLaunchFailure = 719,
  cudaErrorSystemNotReady = 802,
  cudaErrorSystemDriverMismatch = 803,
  cudaErrorCompatNotSupportedOnDevice = 804,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorCapturedEvent = 907,
  cudaErrorStreamCaptureWrongThread = 908,
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
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension, cudaLaunchAttributeProgrammaticStreamSerialization };
struct cudaDeviceProp {
  char name[256];
};
struct cudaFuncAttributes {
  int ptxVersion;
};
struct EmulatedStream;
struct EmulatedGraph;
struct EmulatedEvent;
using cudaStream_t = EmulatedStream*;
using cudaEvent_t = EmulatedEvent*;
using cudaGraph_t = EmulatedGraph*;
using cudaGraphExec_t = EmulatedGraph*;
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  union {
    struct {
      unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

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
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel);
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute which, int value);

namespace headlight::emulation {

// Adds the work to the stream's queue, or to the graph that it is recording.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);
// Whether a GPU would accept this launch: sizes, and whether its shared memory was allowed. `cluster` receives the size that the
// attributes give.
cudaError_t check_launch(const cudaLaunchConfig_t& how, const void* kernel, int* cluster);
// Remembers a status as the calling thread's last error.
cudaError_t failed(cudaError_t status);

}  // namespace headlight::emulation

template <class... Parameters>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* how, void (*kernel)(Parameters...), Parameters... arguments) {
  int cluster = 1;
  const cudaError_t status = headlight::emulation::check_launch(*how, reinterpret_cast<const void*>(kernel), &cluster);
  if (status != cudaSuccess) return status;
  return headlight::emulation::enqueue(
      how->stream, [grid = how->gridDim, block = how->blockDim, shared = how->dynamicSmemBytes, cluster, kernel, arguments...] {
        headlight::emulation::run(grid, block, cluster, shared, [&] { kernel(arguments...); });
      });
}
// The number of clusters of such a launch that the GPU can hold at once, with one block on each multiprocessor; at least one.
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveClusters(int* count, Kernel, const cudaLaunchConfig_t* how) {
  const cudaError_t status = cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, 0);
  *count /= static_cast<int>(how->attrs[0].val.clusterDim.x);
  if (*count < 1) *count = 1;
  return status;
}
