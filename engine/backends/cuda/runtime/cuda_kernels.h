// The launch functions of the kernels; each is defined in the .cu file of its operation. A launch function puts the kernels for
// its call on place.stream and returns the runtime's status. The shapes of a call's arrays stand in module.h.
// launch_add(call, place) computes call.output = call.input + call.addend.
#pragma once

#include <cstdlib>
#include <cstring>

#include "engine/backends/cuda/runtime/device.h"
#include "engine/backends/cuda/runtime/module.h"

namespace headlight::backends::cuda {

// The machine as a launch function needs it.
struct Place {
  cudaStream_t stream;
  int multiprocessors;
  std::size_t shared;               // bytes of shared memory a block may have
  int code;                         // architecture of the loaded kernels: 75, 90, ...
  mutable const char* kernel = "";  // out: the name of the kernel of the last product or attention
  bool clusters;                    // whether blocks can be launched in clusters
  bool overlaps;                    // whether a launch may begin while the launch before it ends
  int at_once[4];                   // blocks of clusters of 1, 2, 4 and 8 that run at a time, one on a multiprocessor

  // The same by the number of blocks of a cluster: blocks_at_once(8).
  int blocks_at_once(int ranks) const { return at_once[ranks >= 8 ? 3 : (ranks >= 4 ? 2 : (ranks >= 2 ? 1 : 0))]; }
};

// Whether the environment variable `what` has the value `way`, which names a kernel: for finding faults and comparing times.
// asked_for("HEADLIGHT_CUDA_ATTENTION", "simple") is true if the plain kernel is to be used.
inline bool asked_for(const char* what, const char* way) {
  const char* const asked = std::getenv(what);
  return asked && std::strcmp(asked, way) == 0;
}

cudaError_t launch_product(const ProductCall& call, const Place& place);  // uses launch_product_split where that is faster
cudaError_t launch_product_split(const ProductCall& call, const Place& place, bool* fits);
bool product_is_of_few_tiles(const ProductCall& call, const Place& place);  // whether launch_product_split is the fastest
cudaError_t launch_gather(const GatherCall& call, const Place& place);
cudaError_t launch_add(const AddCall& call, const Place& place);
cudaError_t launch_layer_norm(const LayerNormCall& call, const Place& place);
cudaError_t launch_heads(const HeadsCall& call, const Place& place);
cudaError_t launch_attention(const AttentionCall& call, const Place& place);         // chooses one of the kernels below
cudaError_t launch_attention_simple(const AttentionCall& call, const Place& place);  // any size
// Bytes of workspace that let launch_attention use the warpgroup kernel or the one on rounded tiles; 0: neither can do the call.
std::size_t wanted_workspace_of_attention(const AttentionCall& call, const Place& place);
std::size_t workspace_of_attention(const AttentionCall& call, const Place& place);  // 0: the warpgroup kernel cannot do the call
std::size_t workspace_of_rounded(const AttentionCall& call, const Place& place);    // 0: the kernel on rounded tiles cannot
// These functions set `fits` to false and launch nothing if their kernel cannot do the call.
cudaError_t launch_attention_fused(const AttentionCall& call, const Place& place, bool* fits);
cudaError_t launch_attention_tiled(const AttentionCall& call, const Place& place, bool* fits);
cudaError_t launch_attention_tensor(const AttentionCall& call, const Place& place, bool* fits);
cudaError_t launch_attention_warpgroup(const AttentionCall& call, const Place& place, bool* fits);  // needs a workspace
cudaError_t launch_attention_rounded(const AttentionCall& call, const Place& place, bool* fits);    // needs a workspace
cudaError_t launch_elements(const ElementsCall& call, const Place& place);
cudaError_t launch_transpose(const TransposeCall& call, const Place& place);
cudaError_t launch_rotary(const RotaryCall& call, const Place& place);
cudaError_t launch_row_sum(const RowSumCall& call, const Place& place);
cudaError_t launch_norm_gradient(const NormGradientCall& call, const Place& place);
cudaError_t launch_gather_gradient(const GatherGradientCall& call, const Place& place);
cudaError_t launch_score_gradient(const ScoreGradientCall& call, const Place& place);
cudaError_t launch_masks(const MasksCall& call, const Place& place);
cudaError_t launch_cross_entropy(const CrossEntropyCall& call, const Place& place);
cudaError_t launch_mean_loss(const MeanLossCall& call, const Place& place);
cudaError_t launch_pool(const PoolCall& call, const Place& place);
cudaError_t launch_words(const PoolCall& call, const Place& place, bool* fits);
bool pools_to_result(const PoolCall& call, const Place& place);
Failure kind_of(cudaError_t status);
cudaError_t launch_gate(double seconds, const Place& place);  // later work on the stream waits: launch_gate(20e-6, place), 20 us
// Loads the kernels and sets *code to the architecture that they were compiled for: 75, 90, ... loaded_code(0, &code)
cudaError_t loaded_code(int device, int* code);
// How many clusters of `ranks` blocks run at a time if a block takes all the shared memory it may have: fewer than there are
// multiprocessors for, because a cluster's blocks lie in one group of multiprocessors, and groups differ. 0 where there are no
// clusters, or where the GPU is divided (MIG) or shared so that none fits. clusters_at_once(info, 8): 15 on an H100.
int clusters_at_once(const Info& info, int ranks);

}  // namespace headlight::backends::cuda
