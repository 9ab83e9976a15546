// Chooses the attention kernel of a call: the fastest one that fits the call. Each kernel has a file of its own.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

// HEADLIGHT_CUDA_ATTENTION names a kernel, to look for a fault or to compare times: "simple" for every call, "tiles" without
// attention_fused, "tensor" without warpgroups, "warpgroup" for short texts too, "unrounded" without keys and
// values that are rounded beforehand. Calls that the named kernel cannot do use the others.
bool asked_for(const char* way) { return cuda::asked_for("HEADLIGHT_CUDA_ATTENTION", way); }

// The warpgroup kernel's blocks take 128 queries, so short texts leave multiprocessors idle. Measured on an H100, it is the
// faster one from somewhere between 1,024 and 2,048 tokens of 12 heads of 64 on.
bool by_warpgroups(const AttentionCall& c, const Place& place) {
  constexpr double kPays = 6e9;  // operations
  const double pairs = static_cast<double>(c.batch * c.heads) * static_cast<double>(c.queries) * static_cast<double>(c.keys);
  return !asked_for("tensor") && workspace_of_attention(c, place) > 0 &&
         (asked_for("warpgroup") || 2 * pairs * static_cast<double>(c.d_k + c.d_v) >= kPays);
}

}  // namespace

std::size_t wanted_workspace_of_attention(const AttentionCall& c, const Place& place) {
  if (c.simple || asked_for("simple") || asked_for("unrounded")) return 0;
  return by_warpgroups(c, place) ? workspace_of_attention(c, place) : workspace_of_rounded(c, place);
}

cudaError_t launch_attention(const AttentionCall& call, const Place& place) {
  bool fits = false;
  const auto took = [&](const char* kernel, cudaError_t status) {
    place.kernel = kernel;
    return status;
  };
  if (!call.simple && !asked_for("simple")) {
    if (call.workspace) {
      if (by_warpgroups(call, place)) {
        const cudaError_t status = launch_attention_warpgroup(call, place, &fits);
        if (fits) return took("attention_warpgroup", status);
      }
      const cudaError_t status = launch_attention_rounded(call, place, &fits);
      if (fits) return took("attention_rounded", status);
    }
    if (call.precision != kFloat32) {
      const cudaError_t status = launch_attention_tensor(call, place, &fits);
      if (fits) return took("attention_tensor", status);
    }
    if (!asked_for("tiles")) {
      const cudaError_t fused = launch_attention_fused(call, place, &fits);
      if (fits) return took("attention_fused", fused);
    }
    const cudaError_t by_tiles = launch_attention_tiled(call, place, &fits);
    if (fits) return took("attention_tiled", by_tiles);
  }
  return took("attention_simple", launch_attention_simple(call, place));
}

}  // namespace headlight::backends::cuda
