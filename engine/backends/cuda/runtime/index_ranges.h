// The ranges of indices on the device. They are checked before a kernel runs, which would otherwise read outside its table.
#pragma once

#include <memory>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/runtime/gpu.h"

namespace headlight::backends::cuda {

std::shared_ptr<const IndexRange> range_of(const Tensor& ids);
// The range of indices on the device. Indices that were uploaded have their range; others are downloaded.
// range_of(backend, in[1]) gives the range of the ids of a Gather.
Result<std::shared_ptr<const IndexRange>> range_of(Backend& backend, const Buffer& ids);
// The range, after checking that every index is one of 0 .. rows - 1. Errors: those of operations::check_ids.
// checked_ids(backend, in[1], 4096, 0, "gather") checks the ids of a table of 4096 rows.
Result<std::shared_ptr<const IndexRange>> checked_ids(Backend& backend, const Buffer& ids, std::int64_t rows,
                                                      std::int64_t per_line, const char* where);

}  // namespace headlight::backends::cuda
