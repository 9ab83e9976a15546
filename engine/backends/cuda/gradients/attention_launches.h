// Attention and its gradient as launches. The functions take an Operation, so that few sources have to include
// operations/attention.h.
#pragma once

#include <span>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/gradients/launches.h"

namespace headlight::backends::cuda {

bool is_attention(const Operation& operation);
// Whether `operation` is an attention that the two functions below compute. They do not compute heads side by side: a training
// that gets false splits and merges the heads instead.
bool supports_attention(const Operation& operation);

// Computes a supported attention; `in` and `out` are those of operations/attention.h.
// attention(operation, launches, {q, k, v}, {context}) has no mask and keeps no maps.
Status attention(const Operation& operation, const Launches& launches, std::span<const Buffer> in, std::span<Buffer> out);

// Computes the gradients of q, k and v. `in`: the inputs and outputs of the attention, then the gradient of its context. `d`: the
// three gradients, null for one that is not wanted. attention_gradient(operation, launches, in, {&dq, &dk, nullptr}) gives two.
Status attention_gradient(const Operation& operation, const Launches& launches, std::span<const Buffer> in,
                          std::span<Buffer* const> d);

}  // namespace headlight::backends::cuda
