// Turns a picture around, for sentences that run from right to left.
#pragma once

#include "app/figures/base/figure.h"

namespace headlight::figures {

// The figure with left and right exchanged; texts and cells stay as they are, at their new places. mirrored(chips) of a row of
// chips begins at the right edge.
Figure mirrored(Figure figure);

}  // namespace headlight::figures
