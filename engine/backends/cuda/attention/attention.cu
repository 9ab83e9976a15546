// Chooses the attention kernel of a call: the fastest one that fits the call. Each kernel has a file of its own.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

// HEADLIGHT_CUDA_ATTENTION names a kernel, to look for a fault or to compare times: "simple" for every call, "tiles" without rows
// in shared memory, "tensor" without warpgroups, "warpgroup" for short texts too. Calls that the named kernel cannot do use the
// others.
bool asked_for(const char* way) { return cuda::asked_for("HEADLIGHT_CUDA_ATTENTION", way); }

// The warpgroup kernel first rounds keys and values in a launch of its own, which takes about 4 us. Its products are then about
// 1.6 times as fast as mma.sync's (400 and 250 TFLOP/s are expected of Hopper). From this much work on, the faster products are
// worth the extra launch.
constexpr double kWarpgroupsPay = 2.5e9;  // operations: 12 heads of 64 at about 900 tokens

}  // namespace

std::size_t wanted_workspace_of_attention(const AttentionCall& c, const Place& place) {
  if (c.simple || asked_for("simple") || asked_for("tensor")) return 0;
  const double pairs = static_cast<double>(c.batch * c.heads) * static_cast<double>(c.queries) * static_cast<double>(c.keys);
  const bool pays = 2 * pairs * static_cast<double>(c.d_k + c.d_v) >= kWarpgroupsPay;
  return pays || asked_for("warpgroup") ? workspace_of_attention(c, place) : 0;
}

cudaError_t launch_attention(const AttentionCall& call, const Place& place) {
  bool fits = false;
  const auto took = [&](const char* kernel, cudaError_t status) {
    place.kernel = kernel;
    return status;
  };
  if (!call.simple && !asked_for("simple")) {
    if (call.workspace) {
      const cudaError_t status = launch_attention_warpgroup(call, place, &fits);
      if (fits) return took("attention_warpgroup", status);
    }
    if (call.precision != kFloat32) {
      const cudaError_t status = launch_attention_tensor(call, place, &fits);
      if (fits) return took("attention_tensor", status);
    }
    if (!asked_for("tiles")) {
      const cudaError_t by_rows = launch_attention_rows(call, place, &fits);
      if (fits) return took("attention_rows", by_rows);
    }
    const cudaError_t by_tiles = launch_attention_tiled(call, place, &fits);
    if (fits) return took("attention_tiled", by_tiles);
  }
  return took("attention_simple", launch_attention_simple(call, place));
}

}  // namespace headlight::backends::cuda
