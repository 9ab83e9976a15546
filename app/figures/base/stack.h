// Several pictures as one, each below the one before: for exporting what a tab shows together.
#pragma once

#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// `gap` points apart and `margin` around them, on the first one's background; empty ones are left out.
Figure stacked(const std::vector<Figure>& parts, float gap, float margin);

}  // namespace headlight::figures
