// The activations and their derivatives.
#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {
namespace {

// A function of a number and its derivative.
struct Both {
  V y, slope;
};

V between(V low, V x, V high) { return x < low ? low : (x > high ? high : x); }  // NaN stays NaN

// x Phi(x) and Phi(x) + x phi(x), with Phi and phi of the normal distribution. Beyond 14 Phi is 0 or 1. erfc(z) = t e^(-z^2)
// G(t), z >= 0, t = 1 / (1 + z/2), where G is fitted on Chebyshev nodes (relative error 5e-8 before rounding). With this form the
// tails of gelu keep their relative accuracy, and phi needs no exponential of its own.
inline Both gelu_and_slope(V any) {
  const V x = between(splat(-14), any, splat(14));
  const V density = exp_of(x * x * -0.5f);
  const V t = 1.0f / (1.0f + 0.35355339f * magnitude(x));
  V g = t * -0.0602052105f + 0.289904322f;
  g = g * t - 0.497749918f;
  g = g * t + 0.289532695f;
  g = g * t - 0.0340736797f;
  g = g * t + 0.205633965f;
  g = g * t + 0.242413428f;
  g = g * t + 0.282462454f;
  g = g * t + 0.282081893f;
  const V tail = 0.5f * t * g * density;
  const V below = x < splat(0) ? tail : 1.0f - tail;
  return {any * below, below + 0.39894228f * x * density};
}
V gelu_of(V x) { return gelu_and_slope(x).y; }
V gelu_slope(V x) { return gelu_and_slope(x).slope; }

// 1 - tanh(x)^2 = 4 e / (1 + e)^2, e = e^(-2 |x|): nothing is subtracted, so small derivatives keep their digits.
V tanh_slope(V x) {
  const V e = exp_of(magnitude(x) * -2.0f);
  return 4.0f * e / ((1.0f + e) * (1.0f + e));
}

V relu_of(V x) { return x < splat(0) ? splat(0) : x; }  // NaN stays NaN
V relu_slope(V x) { return x > splat(0) ? splat(1) : (x <= splat(0) ? splat(0) : x); }

// s = 1 / (1 + e^-x) and 1 - s, each without a subtraction from 1.
struct Sigmoid {
  V s, rest;
};
Sigmoid sigmoid_of(V x) {
  const V e = exp_of(-magnitude(x));
  const V larger = 1.0f / (1.0f + e), smaller = e * larger;
  return {x < splat(0) ? smaller : larger, x < splat(0) ? larger : smaller};
}

V silu_of(V x) { return x * sigmoid_of(x).s; }
// s (1 + x (1 - s)). Beyond 100 it is 0 or 1.
V silu_slope(V any) {
  const V x = between(splat(-100), any, splat(100));
  const Sigmoid sigmoid = sigmoid_of(x);
  return sigmoid.s * (1.0f + x * sigmoid.rest);
}

// x/2 (1 + tanh u) = x sigmoid(2 u), u = sqrt(2/pi) (x + 0.044715 x^3).
V gelu_tanh_of(V x) { return x * sigmoid_of(x * (x * x * 0.0713548163f + 1.59576912f)).s; }
// s + x (2 u') s (1 - s), s = sigmoid(2 u). Beyond 12 it is 0 or 1.
V gelu_tanh_slope(V any) {
  const V x = between(splat(-12), any, splat(12));
  const V square = x * x;
  const Sigmoid sigmoid = sigmoid_of(x * (square * 0.0713548163f + 1.59576912f));
  return sigmoid.s * (1.0f + x * (square * 0.214064449f + 1.59576912f) * sigmoid.rest);
}

template <V (*function)(V)>
void apply(const float* x, std::int64_t count, float* y) {
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t j = 0; j < whole; j += kLanes) store(y + j, function(load(x + j)));
  if (whole < count) store_part(y + whole, count - whole, function(load_part(x + whole, count - whole, 0)));
}

template <V (*slope)(V)>
void apply_slope(const float* x, const float* dy, std::int64_t count, float* dx) {
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t j = 0; j < whole; j += kLanes) store(dx + j, load(dy + j) * slope(load(x + j)));
  if (whole < count) {
    const std::int64_t rest = count - whole;
    const auto some = [&](const float* from) { return load_part(from + whole, rest, 0); };
    store_part(dx + whole, rest, some(dy) * slope(some(x)));
  }
}

template <Both (*both)(V)>
void apply_both(const float* x, std::int64_t count, float* y, float* slope) {
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t j = 0; j < whole; j += kLanes) {
    const Both made = both(load(x + j));
    store(y + j, made.y);
    store(slope + j, made.slope);
  }
  if (whole == count) return;
  const Both made = both(load_part(x + whole, count - whole, 0));
  store_part(y + whole, count - whole, made.y);
  store_part(slope + whole, count - whole, made.slope);
}
template <V (*function)(V), V (*slope_of)(V)>
Both one_and_other(V x) {
  return {function(x), slope_of(x)};
}
V itself(V x) { return x; }
V one(V x) { return x == x ? splat(1) : x; }

void copy(const float* from, std::int64_t count, float* to) {
  if (from != to) __builtin_memmove(to, from, static_cast<std::size_t>(count) * sizeof(float));
}

}  // namespace

void activate(Activation activation, const float* x, std::int64_t count, float* y) {
  switch (activation) {
    case Activation::none: return copy(x, count, y);
    case Activation::relu: return apply<relu_of>(x, count, y);
    case Activation::gelu: return apply<gelu_of>(x, count, y);
    case Activation::tanh: return apply<tanh_of>(x, count, y);
    case Activation::silu: return apply<silu_of>(x, count, y);
    case Activation::gelu_tanh: return apply<gelu_tanh_of>(x, count, y);
  }
}

void activate_gradient(Activation activation, const float* x, const float* dy, std::int64_t count, float* dx) {
  switch (activation) {
    case Activation::none: return copy(dy, count, dx);
    case Activation::relu: return apply_slope<relu_slope>(x, dy, count, dx);
    case Activation::gelu: return apply_slope<gelu_slope>(x, dy, count, dx);
    case Activation::tanh: return apply_slope<tanh_slope>(x, dy, count, dx);
    case Activation::silu: return apply_slope<silu_slope>(x, dy, count, dx);
    case Activation::gelu_tanh: return apply_slope<gelu_tanh_slope>(x, dy, count, dx);
  }
}

void activate_with_slope(Activation activation, const float* x, std::int64_t count, float* y, float* slope) {
  switch (activation) {
    case Activation::none: return apply_both<one_and_other<itself, one>>(x, count, y, slope);
    case Activation::relu: return apply_both<one_and_other<relu_of, relu_slope>>(x, count, y, slope);
    case Activation::gelu: return apply_both<gelu_and_slope>(x, count, y, slope);
    case Activation::tanh: return apply_both<one_and_other<tanh_of, tanh_slope>>(x, count, y, slope);
    case Activation::silu: return apply_both<one_and_other<silu_of, silu_slope>>(x, count, y, slope);
    case Activation::gelu_tanh: return apply_both<one_and_other<gelu_tanh_of, gelu_tanh_slope>>(x, count, y, slope);
  }
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
