// A batch cut into parts. One thread takes each part through the whole model.
//
// A step of a small model is a hundred operations of some microseconds. To share each of them among threads costs more than it
// saves, and arrays go from one core's cache to the other's. Parts need no agreement before their gradients are added up.
#pragma once

#include <cstdint>

#include "engine/train/data.h"

namespace headlight::train {

// The number of parts. It is 1 where the model or the batch is so large that threads rather share its operations, or so small
// that there is nothing to share. It depends on the sizes alone, so that a training gives the same numbers on any number of
// threads. `d`: width of the model; `parameters`: numbers of all parameters.
// parts_of(batch, 64, 200000) gives 4 for 16 rows of 128 tokens.
std::int64_t parts_of(const Batch& batch, std::int64_t d, std::int64_t parameters);

// The rows of part `part` of `parts`. The parts have the same number of rows or differ by one. `bytes` of the result is not set.
// part_of(batch, 1, 4): rows 4 to 7 of a batch of 16.
Batch part_of(const Batch& batch, std::int64_t part, std::int64_t parts);

}  // namespace headlight::train
