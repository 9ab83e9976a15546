#include "engine/backends/cuda/kernels.h"

namespace headlight::backends::cuda {

cudaError_t launch_attention_tensor(const AttentionCall&, const Place&, bool* fits) {
  *fits = false;
  return cudaSuccess;
}

}  // namespace headlight::backends::cuda
