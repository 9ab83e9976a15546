// The gradient of an operation, itself an operation: backends prepare and execute it like any other.
#pragma once

#include <vector>

#include "engine/operations/operation.h"

namespace headlight::operations {

// The gradient by the inputs of `of`, computed from its inputs, its outputs and the gradient of a loss by its first output.
// Further outputs (kept maps) are assumed not to affect the loss.
// in: the inputs of `of`, its outputs, then dy of the shape of its first output.  out: one gradient for each wanted input, in
// order, of the input's shape. The arithmetic is in the file of the operation itself.
struct Gradient {
  Operation of;
  std::vector<bool> wanted;  // by input of `of`; empty: all inputs that have a gradient
};
template <>
const Kind& kind_of<Gradient>();

// Whether the operation has a gradient, and by which inputs: inputs of the real type that do not broadcast.
bool has_gradient(const Operation& operation);
std::vector<bool> inputs_with_gradient(const Operation& operation);

}  // namespace headlight::operations
