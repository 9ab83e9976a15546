// The CUDA module with its kernels run on the CPU (cuda_emulation.h), for tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/backends/cuda/runtime/module.h"

namespace headlight::emulation {

const backends::cuda::Module& module();

void set_backwards(bool backwards);    // threads take turns from the last to the first
void set_memory(std::uint64_t bytes);  // of the pretended GPU
void set_full_from(long allocation);   // from the n-th allocation from now on there is no more GPU memory; set_memory ends it
void set_devices(int count);           // 0: no GPU, as cudaErrorNoDevice; -1: no driver
void set_multiprocessors(int count);   // 4 unless told; of a session opened later
void set_architecture(int code, std::size_t shared_bytes);  // of the GPU and the loaded code: 90 and 227 KiB unless told
void set_load_status(int status);                           // what loading the kernels' code returns, a cudaError_t; 0: they load
void set_products_library(bool there);  // whether sessions opened from now on find cuBLASLt (emulated); it refuses nothing then
// What its heuristic and its multiplication return (a cublasStatus_t; 0: they work), and the error of CUDA beneath the latter.
void refuse_products(int choose, int multiply, int cuda);
void set_least_alignment(std::uint64_t bytes);  // of arrays that the heuristic has an algorithm for
std::int64_t library_products();                // multiplications it was given so far
std::int64_t live_library_objects();
void end_runtime();               // what CUDA's own end does at exit: a call after it ends the process with status 70
std::int64_t live_allocations();  // device and pinned memory, streams, events and graphs
std::int64_t launches();          // of kernels, what is queued included
int last_cluster();               // blocks of a cluster of the last launch
std::size_t last_shared();        // bytes of dynamic shared memory of the last launch: which kernel it was

}  // namespace headlight::emulation
