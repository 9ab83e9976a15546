// What a training computes besides what a trace does: losses, dropout, gates, rotary positions, and the gradients of all of them.
#pragma once

#include <span>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/gradients/launches.h"

namespace headlight::backends::cuda {

// Whether compute_in_training() knows this operation.
bool supports_in_training(const Operation& operation);
// in, out: as the operation's signature says.
Status compute_in_training(const Operation& operation, const Launches& launches, std::span<const Buffer> in,
                           std::span<Buffer> out);

}  // namespace headlight::backends::cuda
