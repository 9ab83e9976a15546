// The entries of the position registry, one per file ("none" computes nothing).
#pragma once

#include "engine/attention/positions/position.h"

namespace headlight::positions {

// The id of rotary positions whose pairs are the dimensions i and i + d_k/2 of a head.
inline constexpr const char* kRotarySplit = "rotary-split";

Entry binary();
Entry sinusoidal();
Entry learned();
Entry rotary();
Entry rotary_split();
Entry alibi();
Entry relative();

}  // namespace headlight::positions
