// An operation that computes each row by itself, for another number of rows.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::models {

// Of Linear, SoftCap and Softmax; other operations stay as they are.
// of_rows(Linear{8, 64, 16}, 2) is Linear{2, 64, 16}.
operations::Operation of_rows(const operations::Operation& op, std::int64_t rows);

}  // namespace headlight::models
