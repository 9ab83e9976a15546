// A recurrent network or state space as a layer over rows of numbers that keeps nothing but its state: what its time by the
// length of a text is measured with.
#pragma once

#include <memory>

#include "engine/recurrence/network.h"

namespace headlight::recurrence {

class Layer {
 public:
  // The network's own weights, rounded to `real` (f32 or f64). The read-out is left out.
  static std::unique_ptr<Layer> of(const Network& network, DType real);
  virtual ~Layer() = default;
  // x [T, symbols] to the states that a read-out would see, out [T, units]; both of the layer's type and contiguous. A row of x
  // that is one-hot is a token. Error: cancelled.
  virtual Status run(const Tensor& x, Tensor& out, const CancelToken& cancel) = 0;
  // Of one step: a multiply-add is 2, exp, tanh and division are 1.
  virtual double flops() const = 0;
  virtual double weights() const = 0;  // how many numbers it has
};

}  // namespace headlight::recurrence
