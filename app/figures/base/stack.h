// Puts several figures into one, below each other, to export everything that a tab shows.
#pragma once

#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// The figures `gap` points apart with `margin` points around them, on the background of the first one with a background. Figures
// without items are left out.
// stacked({a, b}, 10, 16) of two figures of 100 x 50 points is 132 x 142 points large.
Figure stacked(const std::vector<Figure>& parts, float gap, float margin);

}  // namespace headlight::figures
