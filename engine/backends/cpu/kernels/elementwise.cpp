// Activations, sums and layer normalisation.
#include <Eigen/Core>

#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {
namespace {

using Floats = Eigen::Map<Eigen::ArrayXf>;
using ConstFloats = Eigen::Map<const Eigen::ArrayXf>;

// erfc(z), z >= 0: t e^(-z^2 + P(t)), t = 1 / (1 + z/2), P fitted on Chebyshev nodes (relative error 8e-8 before rounding). With
// this form the tails of gelu keep their relative accuracy.
V erfc_of(V z) {
  const V t = 1.0f / (1.0f + 0.5f * z);
  V p = t * 0.17669232f - 0.84979242f;
  p = p * t + 1.54374599f;
  p = p * t - 1.19546533f;
  p = p * t + 0.31782791f;
  p = p * t - 0.20141900f;
  p = p * t + 0.10018831f;
  p = p * t + 0.37369236f;
  p = p * t + 1.00004232f;
  p = p * t - 1.26551223f;
  return t * exp_of(p - z * z);
}

// x/2 (1 + erf(x / sqrt 2)) = x/2 erfc(-x / sqrt 2).
V gelu_of(V x) {
  const V z = x * 0.70710678f;
  const V upper = erfc_of(z < splat(0) ? -z : z);
  const V y = 0.5f * x * (z < splat(0) ? upper : 2.0f - upper);
  return y;
}

V tanh_of(V x) {
  const V a = x < splat(0) ? -x : x;
  const V large = 1.0f - 2.0f / (exp_of(2.0f * a) + 1.0f);
  // Near 0 the subtraction from 1 would lose digits, so the series x - x^3/3 + 2x^5/15 - 17x^7/315 + 62x^9/2835 is used.
  const V s = a * a;
  const V small = a * (((((s * 0.021869489f) - 0.053968254f) * s + 0.13333333f) * s - 0.33333333f) * s + 1.0f);
  const V y = a < splat(0.3f) ? small : large;
  return x < splat(0) ? -y : y;
}

V relu_of(V x) { return x < splat(0) ? splat(0) : x; }  // NaN stays NaN

template <V (*function)(V)>
void apply(float* x, std::int64_t count) {
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t j = 0; j < whole; j += kLanes) store(x + j, function(load(x + j)));
  if (whole < count) store_part(x + whole, count - whole, function(load_part(x + whole, count - whole, 0)));
}

}  // namespace

void activate(Activation activation, float* x, std::int64_t count) {
  switch (activation) {
    case Activation::none: break;
    case Activation::relu: apply<relu_of>(x, count); break;
    case Activation::gelu: apply<gelu_of>(x, count); break;
    case Activation::tanh: apply<tanh_of>(x, count); break;
  }
}

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
