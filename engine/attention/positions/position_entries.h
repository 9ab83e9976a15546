// The entries of the position registry, one a file ("none" has nothing to compute).
#pragma once

#include "engine/attention/positions/position.h"

namespace headlight::positions {

Entry sinusoidal();
Entry learned();

}  // namespace headlight::positions
