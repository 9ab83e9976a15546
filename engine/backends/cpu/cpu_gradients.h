// Gradients and the operations of training on the CPU. Sums over rows are made in an order that does not depend on the number of
// threads, so that a training gives the same numbers on any machine of one instruction set.
#pragma once

#include <span>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/backends/cpu/bfloat16_kernels.h"
#include "engine/backends/cpu/cpu_kernels.h"
#include "engine/backends/cpu/gradient_kernels.h"
#include "engine/operations/gradient.h"
#include "engine/operations/rotary.h"

namespace headlight::backends::cpu {

// Whether gradient() has a fast way for this operation; the others go by their plain loops.
bool supports_gradient(const Operation& of);

// What a plan of a gradient keeps between calls.
struct GradientState {
  std::vector<operations::Turn> turns;  // of rotary positions
};
// Buffers as operations/gradient.h says. `rounding`: of products whose operands are rounded; null where nothing is.
Status gradient(const Kernels& kernels, const Bfloat16Kernels* rounding, const Gradient& op, GradientState& state,
                std::span<const Buffer> in, std::span<Buffer> out, const CancelToken& cancel);

}  // namespace headlight::backends::cpu
