// Attention and its gradient as launches. Operations are given as such, so that few sources read attention.h.
#pragma once

#include <span>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/gradients/launches.h"

namespace headlight::backends::cuda {

bool is_attention(const Operation& operation);
// Whether this attention is computed here, and so its gradient. False for other operations, and for heads side by side: here they
// are split and merged, as a training finds out by asking.
bool supports_attention(const Operation& operation);

// `operation` is an attention that is supported. in, out: as of operations::Attention.
Status attention(const Operation& operation, const Launches& launches, std::span<const Buffer> in, std::span<Buffer> out);

// in: what the attention took and gave, then the gradient by its context.  d: by q, k and v; null where it is not wanted.
Status attention_gradient(const Operation& operation, const Launches& launches, std::span<const Buffer> in,
                          std::span<Buffer* const> d);

}  // namespace headlight::backends::cuda
