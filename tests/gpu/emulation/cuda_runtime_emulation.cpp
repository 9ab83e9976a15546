#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/emulation/cuda_emulation.h"
#include "gpu/emulation/emulated_module.h"

using Work = std::function<void()>;

struct EmulatedGraph {
  std::shared_ptr<std::vector<Work>> work = std::make_shared<std::vector<Work>>();
};
struct EmulatedStream {
  std::mutex mutex;           // guards the members below
  std::recursive_mutex runs;  // held while the queue runs
  std::deque<Work> queue;
  std::unique_ptr<EmulatedGraph> recording;
  bool spoiled = false;  // the recording was invalidated by a call that it does not allow
  std::thread::id recorder;
};
struct EmulatedEvent {
  double time = 0;  // of the steady clock, in seconds; 0: not recorded yet
  cudaStream_t stream = nullptr;
  bool recorded = false, captured = false;
};

namespace headlight::emulation {
namespace {

constexpr std::size_t kSharedUnasked = 48u << 10;  // bytes a block may have without asking

struct Runtime {
  std::mutex mutex;  // guards all members
  std::map<void*, std::size_t> device, pinned;
  std::size_t used = 0, bytes = std::size_t{2} << 30;
  long allocations_left = -1;  // allocations until all of them fail; -1: none fail
  std::int64_t handles = 0;
  std::vector<cudaStream_t> streams;
  std::map<const void*, int> shared;  // sizes that were allowed, by kernel
  int devices = 1, multiprocessors = 4;
  int code = 90;                         // of Hopper
  std::size_t most_shared = 227u << 10;  // bytes a block may have if it asks
  int load_status = cudaSuccess;
  bool ended = false;
};
Runtime& runtime() {
  // Never destroyed: process-wide caches release their memory after everything else has ended, and the driver must still exist
  // then.
  static Runtime& all = *new Runtime;
  return all;
}

thread_local cudaError_t last_status = cudaSuccess;
thread_local std::vector<cudaStream_t> recorded_here;  // streams that this thread is recording

// For calls that this thread's recording does not allow: they fail and invalidate the recording.
cudaError_t unsafe_while_recording() {
  for (const cudaStream_t stream : recorded_here) {
    const std::lock_guard lock(stream->mutex);
    stream->spoiled = true;
  }
  return recorded_here.empty() ? cudaSuccess : failed(cudaErrorStreamCaptureUnsupported);
}

void run_queue(cudaStream_t stream) {
  const std::lock_guard lock(stream->runs);
  for (;;) {
    Work work;
    {
      const std::lock_guard queue(stream->mutex);
      if (stream->queue.empty()) return;
      work = std::move(stream->queue.front());
      stream->queue.pop_front();
    }
    work();
  }
}
// As functions do that wait for the whole device.
void run_everything() {
  std::vector<cudaStream_t> streams;
  {
    const std::lock_guard lock(runtime().mutex);
    if (runtime().ended) {
      std::fprintf(stderr, "CUDA emulation: called at the process's end, when CUDA's own has come\n");
      std::_Exit(70);
    }
    streams = runtime().streams;
  }
  for (const cudaStream_t stream : streams) run_queue(stream);
}

bool is_within(const std::map<void*, std::size_t>& blocks, const void* at, std::size_t bytes) {
  auto next = blocks.upper_bound(const_cast<void*>(at));
  if (next == blocks.begin()) return false;
  --next;
  const auto begin = reinterpret_cast<std::uintptr_t>(next->first), place = reinterpret_cast<std::uintptr_t>(at);
  return place + bytes <= begin + next->second;
}

// Aligned as cudaMalloc's memory, exactly as large as asked for, filled with NaN (large blocks only at both ends, which is
// faster).
void* filled(std::size_t bytes) {
  constexpr std::size_t kEnd = std::size_t{1} << 20;
  void* at = nullptr;
  if (posix_memalign(&at, 256, bytes ? bytes : 1) != 0) return nullptr;
  const std::size_t end = std::min(bytes, kEnd);
  std::memset(at, 0xff, end);
  std::memset(static_cast<unsigned char*>(at) + bytes - end, 0xff, end);
  return at;
}

template <class T>
cudaError_t made(T** handle) {
  *handle = new T();
  const std::lock_guard lock(runtime().mutex);
  ++runtime().handles;
  return cudaSuccess;
}
template <class T>
cudaError_t dropped(T* handle) {
  delete handle;
  const std::lock_guard lock(runtime().mutex);
  --runtime().handles;
  return cudaSuccess;
}

}  // namespace

cudaError_t failed(cudaError_t status) {
  last_status = status;
  return status;
}

cudaError_t enqueue(cudaStream_t stream, Work work) {
  if (!stream) return failed(cudaErrorInvalidValue);
  const std::lock_guard lock(stream->mutex);
  if (!stream->recording) {
    stream->queue.push_back(std::move(work));
    return cudaSuccess;
  }
  if (stream->recorder != std::this_thread::get_id()) return failed(cudaErrorStreamCaptureWrongThread);
  if (stream->spoiled) return failed(cudaErrorStreamCaptureInvalidated);
  stream->recording->work->push_back(std::move(work));
  return cudaSuccess;
}

cudaError_t check_launch(const cudaLaunchConfig_t& how, const void* kernel, int* cluster) {
  for (unsigned i = 0; i < how.numAttrs; ++i)
    if (how.attrs[i].id == cudaLaunchAttributeClusterDimension) *cluster = static_cast<int>(how.attrs[i].val.clusterDim.x);
  const dim3 grid = how.gridDim, block = how.blockDim;
  const unsigned threads = block.x * block.y * block.z;
  if (threads == 0 || threads > 1024 || grid.x == 0 || grid.x > 0x7fffffffu || grid.y == 0 || grid.y > 65535 || grid.z == 0 ||
      grid.z > 65535)
    return failed(cudaErrorInvalidConfiguration);
  const std::lock_guard lock(runtime().mutex);
  if (*cluster > 1 && runtime().code < 90) return failed(cudaErrorInvalidConfiguration);
  const auto asked = runtime().shared.find(kernel);
  const std::size_t allowed = asked == runtime().shared.end() ? kSharedUnasked : static_cast<std::size_t>(asked->second);
  return how.dynamicSmemBytes > std::max(allowed, kSharedUnasked) ? failed(cudaErrorInvalidValue) : cudaSuccess;
}

void set_backwards(bool backwards) {
  run_everything();
  turn_round(backwards);
}
void set_memory(std::uint64_t bytes) {
  const std::lock_guard lock(runtime().mutex);
  runtime().bytes = bytes;
  runtime().allocations_left = -1;
}
void set_full_from(long allocation) {
  const std::lock_guard lock(runtime().mutex);
  runtime().allocations_left = allocation - 1;
}
void set_devices(int count) {
  const std::lock_guard lock(runtime().mutex);
  runtime().devices = count;
}
void set_multiprocessors(int count) {
  const std::lock_guard lock(runtime().mutex);
  runtime().multiprocessors = count;
}
void set_architecture(int code, std::size_t shared_bytes) {
  const std::lock_guard lock(runtime().mutex);
  runtime().code = code;
  runtime().most_shared = shared_bytes;
  runtime().shared.clear();  // sizes that were allowed on another GPU
}
void set_load_status(int status) {
  const std::lock_guard lock(runtime().mutex);
  runtime().load_status = status;
}
void end_runtime() {
  const std::lock_guard lock(runtime().mutex);
  runtime().ended = true;
}
std::int64_t live_allocations() {
  const std::lock_guard lock(runtime().mutex);
  return static_cast<std::int64_t>(runtime().device.size() + runtime().pinned.size()) + runtime().handles;
}
std::int64_t launches() {
  run_everything();
  return kernels_run();
}
int last_cluster() {
  run_everything();
  return cluster_of_last_kernel();
}
std::size_t last_shared() {
  run_everything();
  return shared_of_last_kernel();
}

}  // namespace headlight::emulation

using namespace headlight::emulation;

const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInsufficientDriver: return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    case cudaErrorStreamCaptureUnsupported: return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated: return "operation failed due to a previous error during capture";
    default: return "an error of the emulation";
  }
}
cudaError_t cudaGetLastError() {
  const cudaError_t status = last_status;
  last_status = cudaSuccess;
  return status;
}
cudaError_t cudaGetDeviceCount(int* count) {
  const std::lock_guard lock(runtime().mutex);
  *count = runtime().devices > 0 ? runtime().devices : 0;
  return runtime().devices < 0 ? failed(cudaErrorInsufficientDriver) : cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  const std::lock_guard lock(runtime().mutex);
  return device >= 0 && device < runtime().devices ? cudaSuccess : failed(cudaErrorNoDevice);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  std::snprintf(properties->name, sizeof properties->name, "Emulated GPU %d", device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  const std::lock_guard lock(runtime().mutex);
  switch (which) {
    case cudaDevAttrComputeCapabilityMajor: *value = runtime().code / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *value = runtime().code % 10; break;
    case cudaDevAttrMultiProcessorCount: *value = runtime().multiprocessors; break;
    case cudaDevAttrClusterLaunch: *value = runtime().code >= 90 ? 1 : 0; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = static_cast<int>(runtime().most_shared); break;
  }
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  const std::lock_guard lock(runtime().mutex);
  *version = runtime().devices < 0 ? 0 : 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all) {
  const std::lock_guard lock(runtime().mutex);
  *all = runtime().bytes;
  *left = runtime().bytes - std::min(runtime().bytes, runtime().used);
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  const std::lock_guard lock(runtime().mutex);
  if (runtime().load_status != cudaSuccess) return failed(static_cast<cudaError_t>(runtime().load_status));
  attributes->ptxVersion = runtime().code;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int value) {
  const std::lock_guard lock(runtime().mutex);
  if (value < 0 || static_cast<std::size_t>(value) > runtime().most_shared) return failed(cudaErrorInvalidValue);
  runtime().shared[kernel] = value;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** at, std::size_t bytes) {
  if (const cudaError_t status = unsafe_while_recording(); status != cudaSuccess) return status;
  const std::lock_guard lock(runtime().mutex);
  if (runtime().used + bytes > runtime().bytes || runtime().allocations_left == 0) return failed(cudaErrorMemoryAllocation);
  *at = filled(bytes);
  if (!*at) return failed(cudaErrorMemoryAllocation);
  if (runtime().allocations_left > 0) --runtime().allocations_left;
  runtime().used += bytes;
  runtime().device[*at] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFree(void* at) {
  if (!at) return cudaSuccess;
  if (const cudaError_t status = unsafe_while_recording(); status != cudaSuccess) return status;
  run_everything();
  const std::lock_guard lock(runtime().mutex);
  const auto found = runtime().device.find(at);
  if (found == runtime().device.end()) return failed(cudaErrorInvalidValue);
  runtime().used -= found->second;
  runtime().device.erase(found);
  std::free(at);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** at, std::size_t bytes) {
  if (const cudaError_t status = unsafe_while_recording(); status != cudaSuccess) return status;
  const std::lock_guard lock(runtime().mutex);
  *at = filled(bytes);
  if (!*at) return failed(cudaErrorMemoryAllocation);
  runtime().pinned[*at] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* at) {
  if (const cudaError_t status = unsafe_while_recording(); status != cudaSuccess) return status;
  run_everything();
  const std::lock_guard lock(runtime().mutex);
  if (runtime().pinned.erase(at) == 0) return failed(cudaErrorInvalidValue);
  std::free(at);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const bool up = kind == cudaMemcpyHostToDevice;
  bool pinned = false;
  {
    const std::lock_guard lock(runtime().mutex);
    if (bytes > 0 && !is_within(runtime().device, up ? to : from, bytes)) return failed(cudaErrorInvalidValue);
    pinned = is_within(runtime().pinned, up ? from : to, bytes);
  }
  if (pinned) return enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  // Pageable memory is read or written before the function returns: it waits, which a recording does not allow.
  if (const cudaError_t status = unsafe_while_recording(); status != cudaSuccess) return status;
  if (up) {
    const auto* const first = static_cast<const unsigned char*>(from);
    return enqueue(stream, [to, staged = std::vector<unsigned char>(first, first + bytes)] {
      if (!staged.empty()) std::memcpy(to, staged.data(), staged.size());
    });
  }
  const cudaError_t status = enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  if (status == cudaSuccess) run_queue(stream);
  return status;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  made(stream);
  const std::lock_guard lock(runtime().mutex);
  runtime().streams.push_back(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream->recording) return failed(cudaErrorStreamCaptureUnsupported);
  run_everything();
  {
    const std::lock_guard lock(runtime().mutex);
    std::erase(runtime().streams, stream);
  }
  return dropped(stream);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  {
    const std::lock_guard lock(stream->mutex);
    if (stream->recording) {
      stream->spoiled = true;
      return failed(cudaErrorStreamCaptureUnsupported);
    }
  }
  run_queue(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  const std::lock_guard lock(stream->mutex);
  if (stream->recording) return failed(cudaErrorInvalidValue);
  stream->recording = std::make_unique<EmulatedGraph>();
  stream->recorder = std::this_thread::get_id();
  stream->spoiled = false;
  recorded_here.push_back(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  std::unique_ptr<EmulatedGraph> recorded;
  {
    const std::lock_guard lock(stream->mutex);
    if (!stream->recording) return failed(cudaErrorInvalidValue);
    if (stream->recorder != std::this_thread::get_id()) return failed(cudaErrorStreamCaptureWrongThread);
    std::erase(recorded_here, stream);
    recorded = std::move(stream->recording);
    if (stream->spoiled) return failed(cudaErrorStreamCaptureInvalidated);
  }
  made(graph);
  **graph = *recorded;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned) {
  made(ready);
  **ready = *graph;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return dropped(graph); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { return dropped(graph); }  // queued launches of it keep their work
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  if (const cudaError_t status = stream->recording ? unsafe_while_recording() : cudaSuccess; status != cudaSuccess) return status;
  return enqueue(stream, [work = graph->work] {
    for (const Work& each : *work) each();
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return made(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  run_everything();
  return dropped(event);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->stream = stream;
  event->recorded = true;
  event->captured = stream->recording != nullptr;
  event->time = 0;
  if (event->captured) return cudaSuccess;  // only a mark in the recording, no work
  return enqueue(stream, [event] {
    event->time = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (event->captured) {
    unsafe_while_recording();
    return failed(cudaErrorCapturedEvent);
  }
  if (event->recorded) run_queue(event->stream);
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  for (const cudaEvent_t event : {begin, end}) {
    if (event->captured) {
      unsafe_while_recording();
      return failed(cudaErrorCapturedEvent);
    }
    if (!event->recorded) return failed(cudaErrorInvalidResourceHandle);
    if (event->time == 0) return failed(cudaErrorNotReady);
  }
  *milliseconds = static_cast<float>((end->time - begin->time) * 1e3);
  return cudaSuccess;
}
