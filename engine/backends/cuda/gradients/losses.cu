// Cross-entropy and the mean of its losses, and their gradients (CrossEntropyCall and MeanLossCall in module.h).
//   log_sum = log sum_j exp(x_j); loss = log_sum - (1 - s) x_label - s mean_j x_j; dx_j = dy (exp(x_j - log_sum) - wanted_j)
//   x, dx [rows, classes]; loss, log_sum, dy [rows]
//
// A block takes a row of x: first its largest number, then the sums. Sums are added in an order that depends on the sizes alone.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

// The sum, or the largest number (NaN ignored), over the block's threads; every thread gets the same result.
template <bool largest>
__device__ float reduced(float value, float* shared) {
  value = largest ? lanes_largest(value) : lanes_sum(value);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  float result = shared[0];
  for (int i = 1; i < kWarps; ++i) result = largest ? fmaxf(result, shared[i]) : result + shared[i];
  __syncthreads();
  return result;
}

__global__ void __launch_bounds__(kThreads) cross_entropy(CrossEntropyCall c) {
  __shared__ float shared[kWarps];
  for (std::int64_t row = blockIdx.x; row < c.rows; row += gridDim.x) {
    const float* x = c.x + row * c.classes;
    float most = minus_infinity();
    for (std::int64_t j = threadIdx.x; j < c.classes; j += kThreads) most = fmaxf(most, x[j]);
    most = reduced<true>(most, shared);
    float sum = 0.0f, all = 0.0f;
    for (std::int64_t j = threadIdx.x; j < c.classes; j += kThreads) {
      sum += expf(x[j] - most);
      all += x[j];
    }
    sum = reduced<false>(sum, shared);
    all = reduced<false>(all, shared);
    if (threadIdx.x == 0) {
      const std::int32_t label = c.labels[row];
      const float log_sum = most + logf(sum);
      c.log_sum[row] = log_sum;
      c.loss[row] = label < 0 ? 0.0f
                              : log_sum - (1.0f - c.smoothing) * x[label] -
                                    (c.smoothing > 0.0f ? c.smoothing * all / static_cast<float>(c.classes) : 0.0f);
    }
  }
}

__global__ void __launch_bounds__(kThreads) cross_entropy_gradient(CrossEntropyCall c) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < c.rows * c.classes;
       i += static_cast<std::int64_t>(gridDim.x) * kThreads) {
    const std::int64_t row = i / c.classes, j = i % c.classes;
    const std::int32_t label = c.labels[row];
    // The probability that was given, less the one that was wanted.
    const float wanted = (j == label ? 1.0f - c.smoothing : 0.0f) + c.smoothing / static_cast<float>(c.classes);
    c.dx[i] = label < 0 ? 0.0f : c.dy[row] * (expf(c.x[i] - c.log_sum[row]) - wanted);
  }
}

// One block: a batch has some thousands of rows.
__global__ void __launch_bounds__(kThreads) mean_loss(MeanLossCall c) {
  __shared__ float shared[kWarps];
  float sum = 0.0f, labelled = 0.0f;
  for (std::int64_t row = threadIdx.x; row < c.rows; row += kThreads) {
    if (c.labels[row] < 0) continue;
    if (!c.dy) sum += c.losses[row];
    labelled += 1.0f;
  }
  sum = reduced<false>(sum, shared);
  labelled = fmaxf(1.0f, reduced<false>(labelled, shared));
  if (!c.dy) {
    if (threadIdx.x == 0) c.output[0] = sum / labelled;
    return;
  }
  const float share = c.dy[0] / labelled;
  for (std::int64_t row = threadIdx.x; row < c.rows; row += kThreads) c.output[row] = c.labels[row] >= 0 ? share : 0.0f;
}

}  // namespace

cudaError_t launch_cross_entropy(const CrossEntropyCall& c, const Place& place) {
  if (c.dy)
    return launch(cross_entropy_gradient, dim3(blocks_for(c.rows * c.classes, kThreads)), dim3(kThreads), 0, place.stream, c);
  return launch(cross_entropy, dim3(blocks_for(c.rows, 1)), dim3(kThreads), 0, place.stream, c);
}
cudaError_t launch_mean_loss(const MeanLossCall& c, const Place& place) {
  return launch(mean_loss, dim3(1), dim3(kThreads), 0, place.stream, c);
}

}  // namespace headlight::backends::cuda
