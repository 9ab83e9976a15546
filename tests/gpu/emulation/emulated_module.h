// The CUDA module with its kernels run on the CPU (cuda_emulation.h), for tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/backends/cuda/runtime/module.h"

namespace headlight::emulation {

const backends::cuda::Module& module();

void set_backwards(bool backwards);    // threads run from the last to the first
void set_memory(std::uint64_t bytes);  // memory of the emulated GPU
void set_full_from(long allocation);   // allocations of GPU memory fail from the n-th on from now; set_memory ends it
void set_devices(int count);           // 0: no GPU, as cudaErrorNoDevice; -1: no driver
void set_multiprocessors(int count);   // default 4; for sessions opened later
void set_architecture(int code, std::size_t shared_bytes);  // architecture of GPU and loaded code; default 90 and 227 KiB
void set_load_status(int status);                           // what loading the kernels' code returns, a cudaError_t; 0: they load
// whether sessions opened from now on find the emulated cuBLASLt, which then refuses nothing
void set_products_library(bool there);
// The status that its heuristic and its multiplication return (a cublasStatus_t; 0: success), and the CUDA error behind the
// latter.
void refuse_products(int choose, int multiply, int cuda);
void set_least_alignment(std::uint64_t bytes);  // the heuristic finds algorithms only for arrays with this alignment
std::int64_t library_products();                // number of multiplications so far
std::int64_t live_library_objects();
void end_runtime();               // ends CUDA as at process exit: a call after it ends the process with status 70
std::int64_t live_allocations();  // device and pinned memory, streams, events and graphs
std::int64_t launches();          // number of kernel launches, including queued ones
int last_cluster();               // cluster size of the last launch
std::size_t last_shared();        // dynamic shared memory of the last launch in bytes; it identifies the kernel

}  // namespace headlight::emulation
