// Reads a checkpoint's tensors from the disk before anybody computes with them: a wait that can be shown, and ended.
#pragma once

#include <cstdint>

#include "engine/checkpoints/tensor_file.h"
#include "engine/core/cancel.h"
#include "engine/core/function_ref.h"

namespace headlight::checkpoints {

// `progress(done, total)` in bytes, after every few megabytes. Of a file larger than half of the machine's memory only as much is
// read. It returns early when cancelled.
void read_ahead(const TensorFile& file, FunctionRef<void(std::uint64_t done, std::uint64_t total)> progress,
                const CancelToken& cancel);

}  // namespace headlight::checkpoints
