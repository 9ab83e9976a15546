// The gradient of attention on the CPU.
#pragma once

#include <cstdint>

#include "engine/backends/cpu/cpu_kernels.h"
#include "engine/backends/cpu/scratch.h"
#include "engine/core/cancel.h"
#include "engine/operations/attention.h"

namespace headlight::backends::cpu {

// Shapes as in operations/attention.h, of dq, dk and dv those of q, k and v. dq, dk and dv may be null.
struct AttentionGradientArrays {
  const float *q = nullptr, *k = nullptr, *v = nullptr;
  const std::uint8_t* keep = nullptr;
  Shape mask_shape;
  std::int32_t counter = 0;         // of dropout
  const float* weights = nullptr;   // as the forward pass kept them
  const float* dcontext = nullptr;  // the gradient of the context
  float *dq = nullptr, *dk = nullptr, *dv = nullptr;
};

// Computes dq, dk and dv. A task computes one key/value head with all queries of all its query heads, so that dk and dv are
// always summed in one order. `scratch` keeps its memory between calls. False: cancelled.
// attention_gradient(kernels, op, {.q = q, .k = k, .v = v, .weights = w, .dcontext = dc, .dq = dq}, scratch, cancel): dq alone.
bool attention_gradient(const Kernels& kernels, const operations::Attention& op, const AttentionGradientArrays& arrays,
                        Scratch& scratch, const CancelToken& cancel);

}  // namespace headlight::backends::cpu
