// The entries of the position registry, one per file ("none" computes nothing).
#pragma once

#include "engine/attention/positions/position.h"

namespace headlight::positions {

Entry binary();
Entry sinusoidal();
Entry learned();
Entry rotary();
Entry alibi();
Entry relative();

}  // namespace headlight::positions
