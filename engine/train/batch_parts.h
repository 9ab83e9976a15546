// A batch cut into parts, each of which one thread takes through the whole model.
//
// A step of a small model is a hundred operations of some microseconds: to share each of them among threads costs more than it
// saves, and arrays go from one core's cache to the other's. Parts need no agreement before their gradients are added up.
#pragma once

#include <cstdint>

#include "engine/train/data.h"

namespace headlight::train {

// How many parts: 1 where the model or the batch is so large that its operations are better shared themselves, or so small that
// there is nothing to share. It depends on the sizes alone, so that a training gives the same numbers on any number of threads.
// `d`: width of the model; `parameters`: numbers of all of them.
std::int64_t parts_of(const Batch& batch, std::int64_t d, std::int64_t parameters);

// Rows of part `part` of `parts`, which are as many in each, or one less. Of its bytes it says nothing.
Batch part_of(const Batch& batch, std::int64_t part, std::int64_t parts);

}  // namespace headlight::train
