// The gradient of an operation, itself an operation: backends prepare and execute it like any other.
#pragma once

#include <vector>

#include "engine/operations/operation.h"

namespace headlight::operations {

// From what `of` took and gave and the gradient of a loss by its first output, the gradient by its inputs. Its further outputs
// (kept maps) are taken to reach the loss no other way.
// in: the inputs of `of`, its outputs, then dy of the shape of its first output.  out: one gradient a wanted input, in order, of
//   that input's shape. The arithmetic is in the file of the operation itself.
struct Gradient {
  Operation of;
  std::vector<bool> wanted;  // by input of `of`; empty: all that may be wanted
};
template <>
const Kind& kind_of<Gradient>();

// Whether there is a gradient at all, and by which inputs: those of the real type that do not broadcast.
bool has_gradient(const Operation& operation);
std::vector<bool> inputs_with_gradient(const Operation& operation);

}  // namespace headlight::operations
