// Launches, one .cu an operation. Each returns what the runtime said.
#pragma once

#include <cuda_runtime.h>

#include "engine/backends/cuda/module.h"

namespace headlight::backends::cuda {

cudaError_t launch_linear(const LinearCall& call);
cudaError_t launch_gather(const RowsCall& call);
cudaError_t launch_add(const RowsCall& call);
cudaError_t launch_layer_norm(const RowsCall& call);
cudaError_t launch_heads(const HeadsCall& call);
cudaError_t launch_attention(const AttentionCall& call);

// Blocks of `threads` for a grid-stride loop over `count`: enough to fill any GPU, never more than a launch allows.
inline unsigned blocks_for(std::int64_t count, int threads) {
  const std::int64_t blocks = (count + threads - 1) / threads;
  return static_cast<unsigned>(blocks < 1 ? 1 : (blocks > 65535 ? 65535 : blocks));
}

}  // namespace headlight::backends::cuda
