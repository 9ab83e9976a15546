// The module's session: one GPU and one stream. Every CUDA call goes through one check. The session never ends the program: a
// failure leaves a sentence and its kind. Kernels have files of their own.
#include <atomic>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <thread>

#include "engine/backends/cuda/products/vendor_products.h"
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {

struct Session {
  int device = 0;
  Place place{};
  cudaEvent_t begin = nullptr, end = nullptr;
  VendorProducts* vendor = nullptr;
  // Whether the stream is recording, and which thread began it. Recording ends before that thread does what CUDA forbids while
  // recording (freeing memory).
  std::atomic<bool> recording{false};
  std::thread::id recorder;
  std::mutex mutex;                             // guards `pinned`
  std::map<const void*, std::size_t> pinned{};  // address of each block -> its bytes
};

#if defined(HEADLIGHT_CUDA_FAIL_CALLS)
namespace {
std::atomic<long> made_calls{0}, failing_call{-1};
std::atomic<bool> failing_is_lost{false};
std::atomic<bool> lost_for_good{false};
}  // namespace
// What an injected failure returns instead of making the call. A lost device stays lost.
bool fails_now(cudaError_t* status) {
  const long call = made_calls.fetch_add(1) + 1;
  if (lost_for_good || call == failing_call) {
    lost_for_good = failing_is_lost.load();
    *status = failing_is_lost ? cudaErrorLaunchFailure : cudaErrorUnknown;
    return true;
  }
  return false;
}
#endif

Failure kind_of(cudaError_t status) {
  switch (status) {
    case cudaSuccess: return kNoFailure;
    case cudaErrorMemoryAllocation: return kOutOfMemory;
    // After these errors the runtime refuses all further work of this process on the device.
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorECCUncorrectable:
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceUninitialized:
    case cudaErrorContextIsDestroyed:
    case cudaErrorSystemNotReady: return kLost;
    default: return kOther;
  }
}

namespace {

thread_local Said last_error{"", 0, {}};

void keep(char (&place)[kSaidValue], const char* value) { std::snprintf(place, sizeof place, "%s", value); }
void keep(char (&place)[kSaidValue], int value) { std::snprintf(place, sizeof place, "%d", value); }
template <class... Values>
void say(const char* text, const Values&... values) {
  static_assert(sizeof...(Values) <= kSaidValues);
  last_error.text = text;
  last_error.count = 0;
  (keep(last_error.values[last_error.count++], values), ...);
}

thread_local Failure last_failure = kNoFailure;

// Adds advice where the runtime's message does not say what a person can do.
void explain(cudaError_t status) {
  switch (status) {
    case cudaErrorDevicesUnavailable: say("another program has the GPU to itself (exclusive compute mode)"); break;
    case cudaErrorJitCompilerNotFound:
      say("the NVIDIA driver is not installed whole: its compiler libnvidia-ptxjitcompiler is missing");
      break;
    case cudaErrorInvalidPtx: say("the NVIDIA driver cannot compile this program's kernels"); break;
    case cudaErrorSystemNotReady:
      say("the GPUs are not ready; where NVSwitch joins them, NVIDIA's fabric manager must run");
      break;
    case cudaErrorSystemDriverMismatch: say("parts of the NVIDIA driver are of different versions; restart the machine"); break;
    case cudaErrorCompatNotSupportedOnDevice:
      say("CUDA's compatibility libraries do not serve this GPU; take them off the library path");
      break;
    default: break;
  }
}

// The one check: runs `calls` and remembers what went wrong. `calls` makes its CUDA calls through called().
template <class Calls>
bool all_fine(const char* doing, Calls&& calls) {
  const cudaError_t status = calls();
  if (status == cudaSuccess) return true;
  say("{}: {}", doing, cudaGetErrorString(status));
  explain(status);
  last_failure = kind_of(status);
  cudaGetLastError();  // clears an error that does not affect the device, so that the next call does not report it
  return false;
}
template <class Call>
bool fine(const char* doing, Call&& call) {
  return all_fine(doing, [&] { return called(call); });
}

// For calls whose failure does not matter (releasing on a lost device).
template <class Call>
void quietly(Call&& call) {
  if (call() != cudaSuccess) cudaGetLastError();
}

bool use(const Session* s) {
  return fine("choosing the GPU", [&] { return cudaSetDevice(s->device); });
}

const Said* error() { return &last_error; }
int failure() { return last_failure; }

int count() {
  int devices = 0, driver = 0, runtime = 0;
  cudaError_t status = cudaSuccess;
  const bool done = fine("looking for a GPU", [&] {
    status = cudaGetDeviceCount(&devices);
    return status == cudaSuccess && devices == 0 ? cudaErrorNoDevice : status;
  });
  if (status == cudaErrorInsufficientDriver) {  // the runtime's message is misleading where there is no driver at all
    quietly([&] { return cudaDriverGetVersion(&driver); });
    quietly([&] { return cudaRuntimeGetVersion(&runtime); });
    if (driver == 0) {
      say("this machine has no NVIDIA driver");
    } else {
      say("the NVIDIA driver is for CUDA {}.{} and this program needs {}.{}", driver / 1000, driver % 1000 / 10, runtime / 1000,
          runtime % 1000 / 10);
    }
  } else if (status == cudaErrorNoDevice || (status == cudaSuccess && devices == 0)) {
    say("the NVIDIA driver sees none on this machine");
  }
  return done ? devices : -1;
}

// Ends a recording that a failure left open: CUDA refuses to free memory in a thread that records.
void stop_recording(Session* s) {
  if (!s->recording || s->recorder != std::this_thread::get_id()) return;
  s->recording = false;
  cudaGraph_t recorded = nullptr;
  quietly([&] { return cudaStreamEndCapture(s->place.stream, &recorded); });
  if (recorded) quietly([&] { return cudaGraphDestroy(recorded); });
}
// Selects the device before anything is released, ignoring errors.
void use_quietly(Session* s) {
  quietly([&] { return cudaSetDevice(s->device); });
  stop_recording(s);
}

void close(Session* s) {
  if (!s) return;
  use_quietly(s);
  delete_vendor_products(s->vendor);
  if (s->begin) quietly([&] { return cudaEventDestroy(s->begin); });
  if (s->end) quietly([&] { return cudaEventDestroy(s->end); });
  if (s->place.stream) quietly([&] { return cudaStreamDestroy(s->place.stream); });
  delete s;
}

// If the binary has no code for this GPU, or its driver cannot compile it, opening fails here and not in the middle of a run.
bool load_kernels(int device, Info* info) {
  cudaError_t status = cudaSuccess;
  if (all_fine("loading the kernels", [&] { return status = loaded_code(device, &info->code); })) return true;
  if (status == cudaErrorNoKernelImageForDevice) {
    say("this program has no kernels for compute {}.{}; build it with HEADLIGHT_CUDA_ARCHITECTURES={}{}", info->major,
        info->minor, info->major, info->minor);
  } else if (status == cudaErrorUnsupportedPtxVersion) {
    say("the NVIDIA driver, for CUDA {}.{}, cannot read kernels of CUDA {}.{}; install a newer one", info->driver / 1000,
        info->driver % 1000 / 10, info->runtime / 1000, info->runtime % 1000 / 10);
  }
  return false;
}

bool read_info(int device, Info* info) {
  const auto attribute = [&](cudaDeviceAttr which, int* value) {
    return fine("asking the GPU", [&] { return cudaDeviceGetAttribute(value, which, device); });
  };
  int shared = 0;
  std::size_t memory = 0, left = 0;
  cudaDeviceProp properties;
  if (!fine("asking the GPU", [&] { return cudaGetDeviceProperties(&properties, device); })) return false;
  std::snprintf(info->name, sizeof info->name, "%s", properties.name);
  if (!attribute(cudaDevAttrComputeCapabilityMajor, &info->major) ||
      !attribute(cudaDevAttrComputeCapabilityMinor, &info->minor) ||
      !attribute(cudaDevAttrMultiProcessorCount, &info->multiprocessors) ||
      !attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared))
    return false;
  info->index = device;
  info->shared = static_cast<std::uint64_t>(shared);
  if (!fine("asking the GPU", [&] { return cudaMemGetInfo(&left, &memory); })) return false;
  info->memory = memory;
  return fine("asking the driver", [&] { return cudaDriverGetVersion(&info->driver); }) &&
         fine("asking the runtime", [&] { return cudaRuntimeGetVersion(&info->runtime); }) && load_kernels(device, info);
}

Session* open(int device, Info* info) {
  Session* s = new (std::nothrow) Session;
  if (!s) {
    fine("starting", [] { return cudaErrorMemoryAllocation; });
    return nullptr;
  }
  s->device = device;
  *info = {};
  const bool done = use(s) && read_info(device, info) &&
                    fine("making a stream", [&] { return cudaStreamCreateWithFlags(&s->place.stream, cudaStreamNonBlocking); }) &&
                    fine("making an event", [&] { return cudaEventCreate(&s->begin); }) &&
                    fine("making an event", [&] { return cudaEventCreate(&s->end); });
  if (!done) {
    close(s);
    return nullptr;
  }
  s->place.multiprocessors = info->multiprocessors;
  s->place.shared = static_cast<std::size_t>(info->shared);
  s->place.code = info->code;
  s->place.at_once[0] = info->multiprocessors;
  for (int i = 1; i < 4; ++i) s->place.at_once[i] = clusters_at_once(*info, 1 << i) << i;
  s->place.clusters = s->place.at_once[3] > 0;
  // On compute 12.0, recording launches of this kind was seen to fail ("invalid resource handle").
  s->place.overlaps = s->place.clusters && info->code < 120;
  quietly([] { return cudaGetLastError(); });        // clears the error; without clusters the other kernels do everything
  s->vendor = new_vendor_products(&info->products);  // null where cuBLASLt is not installed
  return s;
}

void* allocate(Session* s, std::size_t bytes) {
  void* memory = nullptr;
  if (!use(s)) return nullptr;
  return fine("allocating GPU memory", [&] { return cudaMalloc(&memory, bytes ? bytes : 1); }) ? memory : nullptr;
}
void release(Session* s, void* memory) {
  use_quietly(s);
  quietly([&] { return cudaFree(memory); });
}
void* allocate_pinned(Session* s, std::size_t bytes) {
  void* memory = nullptr;
  if (!use(s) || !fine("allocating pinned memory", [&] { return cudaMallocHost(&memory, bytes ? bytes : 1); })) return nullptr;
  const std::lock_guard lock(s->mutex);
  s->pinned[memory] = bytes;
  return memory;
}
void release_pinned(Session* s, void* memory) {
  {
    const std::lock_guard lock(s->mutex);
    s->pinned.erase(memory);
  }
  use_quietly(s);
  quietly([&] { return cudaFreeHost(memory); });
}
bool memory_left(Session* s, std::uint64_t* bytes) {
  std::size_t left = 0, all = 0;
  if (!use(s) || !fine("asking the GPU", [&] { return cudaMemGetInfo(&left, &all); })) return false;
  *bytes = left;
  return true;
}
bool is_pinned(Session* s, const void* from) {
  const std::lock_guard lock(s->mutex);
  const auto next = s->pinned.upper_bound(from);
  if (next == s->pinned.begin()) return false;
  const auto& [begin, bytes] = *std::prev(next);
  return std::less<>()(from, static_cast<const unsigned char*>(begin) + bytes);
}
bool to_device(Session* s, void* to, const void* from, std::size_t bytes) {
  // The runtime copies pageable memory before it returns, but reads pinned memory only when the copy's turn comes.
  return use(s) &&
         fine("copying to the GPU", [&] { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, s->place.stream); }) &&
         (!is_pinned(s, from) || fine("copying to the GPU", [&] { return cudaStreamSynchronize(s->place.stream); }));
}
bool to_host(Session* s, void* to, const void* from, std::size_t bytes) {
  return use(s) &&
         fine("copying from the GPU", [&] { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, s->place.stream); });
}
bool wait(Session* s) {
  return use(s) && fine("computing on the GPU", [&] { return cudaStreamSynchronize(s->place.stream); });
}

bool begin_graph(Session* s) {
  if (!use(s) || !fine("recording", [&] { return cudaStreamBeginCapture(s->place.stream, cudaStreamCaptureModeThreadLocal); }))
    return false;
  s->recorder = std::this_thread::get_id();
  s->recording = true;
  return true;
}
Graph* end_graph(Session* s) {
  cudaGraph_t recorded = nullptr;
  cudaGraphExec_t ready = nullptr;
  bool done = use(s) && fine("recording", [&] {
                s->recording = false;
                return cudaStreamEndCapture(s->place.stream, &recorded);
              });
  stop_recording(s);  // also where that call failed: the stream must not stay in recording mode
  done = done && fine("recording", [&] { return cudaGraphInstantiate(&ready, recorded, 0); });
  if (recorded) quietly([&] { return cudaGraphDestroy(recorded); });
  return done ? ready : nullptr;
}
bool replay(Session* s, Graph* graph) {
  return use(s) && fine("replaying", [&] { return cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), s->place.stream); });
}
void release_graph(Session* s, Graph* graph) {
  quietly([&] { return cudaSetDevice(s->device); });
  quietly([&] { return cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)); });
}

bool start_clock(Session* s, double after) {
  return use(s) && fine("timing", [&] { return launch_gate(after, s->place); }) &&
         fine("timing", [&] { return cudaEventRecord(s->begin, s->place.stream); });
}
bool stop_clock(Session* s, double* seconds) {
  float milliseconds = 0;
  if (!use(s) || !fine("timing", [&] { return cudaEventRecord(s->end, s->place.stream); }) ||
      !fine("computing on the GPU", [&] { return cudaEventSynchronize(s->end); }) ||
      !fine("timing", [&] { return cudaEventElapsedTime(&milliseconds, s->begin, s->end); }))
    return false;
  *seconds = milliseconds * 1e-3;
  return true;
}

bool product(Session* s, const ProductCall& c) {
  if (!use(s)) return false;
  return all_fine("product", [&] {
    bool fits = false;
    if (s->vendor) {
      const cudaError_t status = vendor_product(s->vendor, c, s->place, &fits);
      if (fits) s->place.kernel = "cuBLASLt";
      if (fits) return status;
    }
    return launch_product(c, s->place);
  });
}
bool gather(Session* s, const GatherCall& c) {
  return use(s) && all_fine("gather", [&] { return launch_gather(c, s->place); });
}
bool add(Session* s, const AddCall& c) {
  return use(s) && all_fine("add", [&] { return launch_add(c, s->place); });
}
bool layer_norm(Session* s, const LayerNormCall& c) {
  return use(s) && all_fine("layer_norm", [&] { return launch_layer_norm(c, s->place); });
}
bool move_heads(Session* s, const HeadsCall& c) {
  return use(s) && all_fine("heads", [&] { return launch_heads(c, s->place); });
}
std::size_t attention_workspace(Session* s, const AttentionCall& c) { return wanted_workspace_of_attention(c, s->place); }
bool attention(Session* s, const AttentionCall& c) {
  return use(s) && all_fine("attention", [&] { return launch_attention(c, s->place); });
}
const char* kernel(Session* s) { return s->place.kernel; }
bool pool(Session* s, const PoolCall& c) {
  return use(s) && all_fine("isdpa", [&] {
           s->place.kernel = c.result ? "isdpa words" : "isdpa pool";
           if (!c.result) return launch_pool(c, s->place);
           bool fits = false;
           const cudaError_t status = launch_words(c, s->place, &fits);
           return fits ? status : cudaErrorInvalidConfiguration;
         });
}
bool words_to_result(Session* s, const PoolCall& c) { return pools_to_result(c, s->place); }
bool elements(Session* s, const ElementsCall& c) {
  return use(s) && all_fine("elements", [&] { return launch_elements(c, s->place); });
}
bool transpose(Session* s, const TransposeCall& c) {
  return use(s) && all_fine("transpose", [&] { return launch_transpose(c, s->place); });
}
bool rotary(Session* s, const RotaryCall& c) {
  return use(s) && all_fine("rotary", [&] { return launch_rotary(c, s->place); });
}
bool row_sum(Session* s, const RowSumCall& c) {
  return use(s) && all_fine("sum of rows", [&] { return launch_row_sum(c, s->place); });
}
bool norm_gradient(Session* s, const NormGradientCall& c) {
  return use(s) && all_fine("gradient of a norm", [&] { return launch_norm_gradient(c, s->place); });
}
bool gather_gradient(Session* s, const GatherGradientCall& c) {
  return use(s) && all_fine("gradient of gather", [&] { return launch_gather_gradient(c, s->place); });
}
bool score_gradient(Session* s, const ScoreGradientCall& c) {
  return use(s) && all_fine("gradient of attention", [&] { return launch_score_gradient(c, s->place); });
}
bool masks(Session* s, const MasksCall& c) {
  return use(s) && all_fine("masks", [&] { return launch_masks(c, s->place); });
}
bool cross_entropy(Session* s, const CrossEntropyCall& c) {
  return use(s) && all_fine("cross_entropy", [&] { return launch_cross_entropy(c, s->place); });
}
bool mean_loss(Session* s, const MeanLossCall& c) {
  return use(s) && all_fine("mean_loss", [&] { return launch_mean_loss(c, s->place); });
}

#if defined(HEADLIGHT_CUDA_FAIL_CALLS)
void fail_call(long n, bool lost) {
  lost_for_good = false;
  failing_is_lost = lost;
  failing_call = n > 0 ? made_calls + n : -1;
}
long calls() { return made_calls; }
#else
constexpr void (*fail_call)(long, bool) = nullptr;
constexpr long (*calls)() = nullptr;
#endif

}  // namespace

const Module& module() {
  static const Module functions{kModuleVersion,
                                error,
                                failure,
                                count,
                                open,
                                close,
                                allocate,
                                release,
                                allocate_pinned,
                                release_pinned,
                                memory_left,
                                to_device,
                                to_host,
                                wait,
                                begin_graph,
                                end_graph,
                                replay,
                                release_graph,
                                start_clock,
                                stop_clock,
                                product,
                                gather,
                                add,
                                layer_norm,
                                move_heads,
                                attention_workspace,
                                attention,
                                kernel,
                                pool,
                                words_to_result,
                                elements,
                                transpose,
                                rotary,
                                row_sum,
                                norm_gradient,
                                gather_gradient,
                                score_gradient,
                                masks,
                                cross_entropy,
                                mean_loss,
                                fail_call,
                                calls};
  return functions;
}

}  // namespace headlight::backends::cuda

#if !defined(HEADLIGHT_CUDA_EMULATION)
extern "C" __attribute__((visibility("default"))) const headlight::backends::cuda::Module* headlight_cuda_module() {
  return &headlight::backends::cuda::module();
}
#endif
