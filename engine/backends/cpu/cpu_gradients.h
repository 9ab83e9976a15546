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

// Whether gradient() has fast code for this operation; the gradients of other operations are computed by plain loops.
bool supports_gradient(const Operation& of);

// The data that the plan of a gradient keeps between calls.
struct GradientState {
  std::vector<operations::Turn> turns;  // of rotary positions
};
// Computes a gradient. Buffers are those of operations/gradient.h. `rounding`: the kernels for products of operands rounded to
// bfloat16; null: nothing is rounded. gradient(kernels, nullptr, op, state, in, out, cancel) computes in float32 alone.
Status gradient(const Kernels& kernels, const Bfloat16Kernels* rounding, const Gradient& op, GradientState& state,
                std::span<const Buffer> in, std::span<Buffer> out, const CancelToken& cancel);

}  // namespace headlight::backends::cpu
