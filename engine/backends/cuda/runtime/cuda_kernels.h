// Launches, one .cu an operation. Each returns what the runtime said.
#pragma once

#include <cstdlib>
#include <cstring>

#include "engine/backends/cuda/runtime/device.h"
#include "engine/backends/cuda/runtime/module.h"

namespace headlight::backends::cuda {

// What a launch must know of the machine.
struct Place {
  cudaStream_t stream;
  int multiprocessors;
  std::size_t shared;               // bytes a block may have
  int code;                         // architecture of the loaded kernels
  mutable const char* kernel = "";  // out: which one did the last product or attention
  bool clusters;                    // whether blocks can be launched in clusters
  bool overlaps;                    // whether launches may begin while the last one ends
};

// A way by name, for looking for a fault or comparing times: whether environment variable `what` says `way`.
inline bool asked_for(const char* what, const char* way) {
  const char* const asked = std::getenv(what);
  return asked && std::strcmp(asked, way) == 0;
}

cudaError_t launch_product(const ProductCall& call, const Place& place);  // picks the one below where that is faster
cudaError_t launch_product_split(const ProductCall& call, const Place& place, bool* fits);
bool product_is_of_few_tiles(const ProductCall& call, const Place& place);  // so that launch_product_split is the fastest way
cudaError_t launch_gather(const GatherCall& call, const Place& place);
cudaError_t launch_add(const AddCall& call, const Place& place);
cudaError_t launch_layer_norm(const LayerNormCall& call, const Place& place);
cudaError_t launch_heads(const HeadsCall& call, const Place& place);
cudaError_t launch_attention(const AttentionCall& call, const Place& place);         // picks one of those below
cudaError_t launch_attention_simple(const AttentionCall& call, const Place& place);  // any size
// Bytes of workspace with which launch_attention takes the kernel that needs one; 0: it does not do this call, or another is as
// fast.
std::size_t wanted_workspace_of_attention(const AttentionCall& call, const Place& place);
std::size_t workspace_of_attention(const AttentionCall& call, const Place& place);  // 0: it does not do this call
// Null pointers as functions say: `fits` is false where the kernel does not do this call, and nothing was launched.
cudaError_t launch_attention_rows(const AttentionCall& call, const Place& place, bool* fits);
cudaError_t launch_attention_tiled(const AttentionCall& call, const Place& place, bool* fits);
cudaError_t launch_attention_tensor(const AttentionCall& call, const Place& place, bool* fits);
cudaError_t launch_attention_warpgroup(const AttentionCall& call, const Place& place, bool* fits);  // with a workspace
cudaError_t launch_pool(const PoolCall& call, const Place& place);
cudaError_t launch_words(const PoolCall& call, const Place& place, bool* fits);
bool pools_to_result(const PoolCall& call, const Place& place);
Failure kind_of(cudaError_t status);
cudaError_t launch_gate(double seconds, const Place& place);  // what follows on the stream waits so long
// Loads the kernels, and says of which architecture they are: 75, 90, ...
cudaError_t loaded_code(int device, int* code);
bool clusters_fit(const Info& info);  // whether this GPU holds clusters of eight blocks with all the shared memory they may have

}  // namespace headlight::backends::cuda
