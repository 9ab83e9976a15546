// The CUDA module with its kernels run on the CPU (cuda_emulation.h), for tests.
#pragma once

#include <cstddef>

#include "engine/backends/cuda/module.h"

namespace headlight::emulation {

const backends::cuda::Module& module();

void set_backwards(bool backwards);    // threads take turns from the last to the first
void set_memory(std::uint64_t bytes);  // of the pretended GPU
void set_devices(int count);           // 0: no GPU; -1: no driver
void set_multiprocessors(int count);   // 4 unless told; of a session opened later
std::int64_t live_allocations();       // device and pinned memory, streams, events and graphs
std::int64_t launches();
int last_cluster();         // blocks of a cluster of the last launch
std::size_t last_shared();  // bytes of dynamic shared memory of the last launch: which kernel it was

}  // namespace headlight::emulation
