// Several figures in one, below each other: for exporting everything that a tab shows.
#pragma once

#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// `gap` points apart with `margin` around them, on the background of the first; empty figures are left out.
Figure stacked(const std::vector<Figure>& parts, float gap, float margin);

}  // namespace headlight::figures
