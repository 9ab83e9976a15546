// What is known of the values of indices on the device, without which a kernel would read outside its table.
#pragma once

#include <memory>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/runtime/gpu.h"

namespace headlight::backends::cuda {

std::shared_ptr<const IndexRange> range_of(const Tensor& ids);
// The values of uploaded indices are known; others are downloaded.
Result<std::shared_ptr<const IndexRange>> range_of(Backend& backend, const Buffer& ids);
// That range, once every index is one of 0 .. rows - 1. Errors: as of operations::check_ids.
Result<std::shared_ptr<const IndexRange>> checked_ids(Backend& backend, const Buffer& ids, std::int64_t rows,
                                                      std::int64_t per_line, const char* where);

}  // namespace headlight::backends::cuda
