// A recurrent network or state space as a layer over rows of numbers that keeps nothing but its state. Benchmarks measure its
// time by the length of a text with it.
#pragma once

#include <memory>

#include "engine/recurrence/network.h"

namespace headlight::recurrence {

class Layer {
 public:
  // The network's own weights, rounded to `real` (f32 or f64). The read-out is left out.
  // Layer::of(network, DType::f32): a layer in float32.
  static std::unique_ptr<Layer> of(const Network& network, DType real);
  virtual ~Layer() = default;
  // Computes from x [T, symbols] the states that a read-out would see, out [T, units]; both have the layer's type and are
  // contiguous. A one-hot row of x is a token. Error: cancelled.
  // run(x, out, {}) with x [100, 5] of a network of 16 units fills out [100, 16].
  virtual Status run(const Tensor& x, Tensor& out, const CancelToken& cancel) = 0;
  // Of one step: a multiply-add is 2, exp, tanh and division are 1.
  virtual double flops() const = 0;
  virtual double weights() const = 0;  // number of the layer's weights
};

}  // namespace headlight::recurrence
