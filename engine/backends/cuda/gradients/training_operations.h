// The operations of a training that a plain forward run does not need: losses, dropout, gates, rotary positions and all
// gradients.
#pragma once

#include <span>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/gradients/launches.h"

namespace headlight::backends::cuda {

// Whether compute_in_training() knows this operation.
bool supports_in_training(const Operation& operation);
// Computes the operation; `in` and `out` are those of its signature.
// compute_in_training(Multiply{...}, launches, {x, y}, {z}) computes z = x y, number by number.
Status compute_in_training(const Operation& operation, const Launches& launches, std::span<const Buffer> in,
                           std::span<Buffer> out);

}  // namespace headlight::backends::cuda
