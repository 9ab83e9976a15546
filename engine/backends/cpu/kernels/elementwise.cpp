// Sums and layer normalisation.
#include <Eigen/Core>

#include "engine/backends/cpu/kernels/kernels_of_level.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {
namespace {

using Floats = Eigen::Map<Eigen::ArrayXf>;
using ConstFloats = Eigen::Map<const Eigen::ArrayXf>;

}  // namespace

void add(const float* a, const float* b, std::int64_t count, float* y) {
  Floats(y, count) = ConstFloats(a, count) + ConstFloats(b, count);
}

void layer_norm(const float* x, const float* gamma, const float* beta, std::int64_t d, float epsilon, float* y) {
  const ConstFloats in(x, d);
  if (!beta) {  // RMSNorm
    Floats(y, d) = ConstFloats(gamma, d) * (in / __builtin_sqrtf(in.square().mean() + epsilon));
    return;
  }
  const float mean = in.mean();
  const float variance = (in - mean).square().mean();
  Floats(y, d) = ConstFloats(gamma, d) * ((in - mean) / __builtin_sqrtf(variance + epsilon)) + ConstFloats(beta, d);
}

void weighted_sum(const float* weights, const float* x, std::int64_t rows, std::int64_t ldx, std::int64_t d, bool more,
                  float* y) {
  Floats out(y, d);
  if (!more) out.setZero();
  for (std::int64_t j = 0; j < rows; ++j) out += weights[j] * ConstFloats(x + j * ldx, d);
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
