// The gradient of LayerNorm and RMSNorm by their input (NormGradientCall in module.h). x, dy, dx [rows, d]; weight [d]
//   With n = (x - mean) / deviation and h = dy weight: dx = (h - mean(h) - n mean(h n)) / deviation; RMSNorm has no mean(h).
//
// A warp takes a row. Far from 0 little is left of x - mean, so the mean is kept as two numbers: a rounded one, and the mean of
// the differences from it.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

struct RowStatistics {
  float mean, shift, inverse;
};

__device__ RowStatistics statistics_of(const NormGradientCall& c, const float* x, int lane) {
  const float d = static_cast<float>(c.d);
  RowStatistics s{0.0f, 0.0f, 0.0f};
  if (c.centred) {
    float sum = 0.0f;
    for (std::int64_t i = lane; i < c.d; i += 32) sum += x[i];
    s.mean = lanes_sum(sum) / d;
  }
  float sum = 0.0f, squares = 0.0f;
  for (std::int64_t i = lane; i < c.d; i += 32) {
    const float difference = x[i] - s.mean;
    sum += difference;
    squares += difference * difference;
  }
  sum = lanes_sum(sum);
  squares = lanes_sum(squares) / d;
  if (c.centred) s.shift = sum / d;
  s.inverse = 1.0f / sqrtf(squares - s.shift * s.shift + c.epsilon);
  return s;
}

__global__ void __launch_bounds__(kThreads) norm_gradient(NormGradientCall c) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const float d = static_cast<float>(c.d);
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32; row < c.rows;
       row += static_cast<std::int64_t>(gridDim.x) * kWarps) {
    const float *x = c.x + row * c.d, *dy = c.dy + row * c.d;
    const RowStatistics s = statistics_of(c, x, lane);
    if (lane == 0) {
      c.statistics[3 * row] = s.mean;
      c.statistics[3 * row + 1] = s.shift;
      c.statistics[3 * row + 2] = s.inverse;
    }
    if (!c.dx) continue;
    float h_sum = 0.0f, hn_sum = 0.0f;
    for (std::int64_t i = lane; i < c.d; i += 32) {
      const float h = dy[i] * c.weight[i];
      h_sum += h;
      hn_sum += h * ((x[i] - s.mean - s.shift) * s.inverse);
    }
    const float mean_hn = lanes_sum(hn_sum) / d, mean_h = c.centred ? lanes_sum(h_sum) / d : 0.0f;
    for (std::int64_t i = lane; i < c.d; i += 32) {
      const float n = (x[i] - s.mean - s.shift) * s.inverse;
      c.dx[row * c.d + i] = (dy[i] * c.weight[i] - mean_h - n * mean_hn) * s.inverse;
    }
  }
}

}  // namespace

cudaError_t launch_norm_gradient(const NormGradientCall& c, const Place& place) {
  return launch(norm_gradient, dim3(blocks_for(c.rows, kWarps)), dim3(kThreads), 0, place.stream, c);
}

}  // namespace headlight::backends::cuda
