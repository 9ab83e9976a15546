// Whether stored numbers are numbers at all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/checkpoints/stored_type.h"

namespace headlight::checkpoints {

// Whether widen_blocks() gives neither NaN nor infinity for these blocks of a type that can_widen(). Of quantised blocks only the
// scales are read: with finite ones every number is finite, as float32 reaches much further than float16 times a small integer.
bool are_finite(StoredType type, const std::byte* from, std::int64_t blocks);

}  // namespace headlight::checkpoints
