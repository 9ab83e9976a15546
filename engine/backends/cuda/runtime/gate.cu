// A gate: holds the stream for a given time, so that all later work is queued by the time the gate opens. A clock that starts
// behind the gate then measures the device's work alone, without the time the host needs to queue it.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

__global__ void gate([[maybe_unused]] std::uint64_t nanoseconds) {
#if defined(HEADLIGHT_CUDA_EMULATION)
  // In tests work is done while it is queued, so there is nothing to hold back.
#else
  std::uint64_t begin = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
#endif
}

}  // namespace

cudaError_t launch_gate(double seconds, const Place& place) {
  return launch(gate, dim3(1), dim3(1), 0, place.stream, static_cast<std::uint64_t>(seconds * 1e9));
}

}  // namespace headlight::backends::cuda
