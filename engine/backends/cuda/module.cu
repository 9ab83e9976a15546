// What the module exports: one factory. It never ends the program; without a driver or GPU it says the driver's reason.
#include <cstdio>

#include "engine/backends/cuda/kernels.h"

namespace headlight::backends::cuda {
namespace {

thread_local char last_error[256];

bool fine(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return true;
  std::snprintf(last_error, sizeof(last_error), "%s: %s", doing, cudaGetErrorString(status));
  return false;
}

// Launches are asynchronous: an error of the kernel itself shows at the wait.
bool finished(cudaError_t launched, const char* doing) { return fine(launched, doing) && fine(cudaDeviceSynchronize(), doing); }

const char* error() { return last_error; }
void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  return fine(cudaMalloc(&memory, bytes ? bytes : 1), "allocating GPU memory") ? memory : nullptr;
}
void release(void* memory) { cudaFree(memory); }
bool to_device(void* to, const void* from, std::size_t bytes) {
  return fine(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to the GPU");
}
bool to_host(void* to, const void* from, std::size_t bytes) {
  return fine(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from the GPU");
}
bool linear(const LinearCall& call) { return finished(launch_linear(call), "linear"); }
bool gather(const RowsCall& call) { return finished(launch_gather(call), "gather"); }
bool add(const RowsCall& call) { return finished(launch_add(call), "add"); }
bool layer_norm(const RowsCall& call) { return finished(launch_layer_norm(call), "layer_norm"); }
bool move_heads(const HeadsCall& call) { return finished(launch_heads(call), "heads"); }
bool attention(const AttentionCall& call) { return finished(launch_attention(call), "attention"); }

cudaDeviceProp properties;

}  // namespace
}  // namespace headlight::backends::cuda

extern "C" __attribute__((visibility("default"))) const headlight::backends::cuda::Module* headlight_cuda_module(
    char* why, std::size_t size) {
  using namespace headlight::backends::cuda;
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count == 0) status = cudaErrorNoDevice;
  if (status == cudaSuccess) status = cudaGetDeviceProperties(&properties, 0);
  if (status == cudaSuccess) status = cudaSetDevice(0);
  if (status != cudaSuccess) {
    std::snprintf(why, size, "%s", cudaGetErrorString(status));
    return nullptr;
  }
  static const Module module{kModuleVersion, properties.name, error, allocate,   release,    to_device, to_host,
                             linear,         gather,          add,   layer_norm, move_heads, attention};
  return &module;
}
