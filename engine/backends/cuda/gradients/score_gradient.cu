// The gradient of attention's softmax, dropout and scale (ScoreGradientCall in module.h): from the gradient by the weights that
// weigh the values to that by the raw scores, in place. weights, gradient [batch, heads, queries, keys]
//
// A warp takes a query's row and reads it twice: once for the mean, which all weights of a row share since they sum to 1.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

__global__ void __launch_bounds__(kThreads) score_gradient(ScoreGradientCall c) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t key = c.draws.counter ? draw_key(c.draws.seed, *c.draws.counter) : 0;
  const auto by_weight = [&](std::int64_t cell) {
    if (!c.draws.counter) return c.gradient[cell];
    return is_kept(key, c.draws.threshold, cell) ? c.gradient[cell] * c.draws.factor : 0.0f;
  };
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32; row < c.batch * c.heads * c.queries;
       row += static_cast<std::int64_t>(gridDim.x) * kWarps) {
    const std::int64_t query = row % c.queries, h = row / c.queries % c.heads, b = row / c.queries / c.heads;
    float sum = 0.0f;
    for (std::int64_t j = lane; j < c.keys; j += 32) sum += c.weights[row * c.keys + j] * by_weight(row * c.keys + j);
    const float mean = lanes_sum(sum);
    for (std::int64_t j = lane; j < c.keys; j += 32) {
      const std::int64_t cell = row * c.keys + j;
      // A masked score was replaced, so it has no part in what replaced it.
      const bool masked = c.keep && !c.keep[mask_cell(c.mask_step, b, h, query, j)];
      c.gradient[cell] = masked ? 0.0f : c.weights[cell] * (by_weight(cell) - mean) * c.inverse_temperature * c.scale;
    }
  }
}

}  // namespace

cudaError_t launch_score_gradient(const ScoreGradientCall& c, const Place& place) {
  return launch(score_gradient, dim3(blocks_for(c.batch * c.heads * c.queries, kWarps)), dim3(kThreads), 0, place.stream, c);
}

}  // namespace headlight::backends::cuda
