// Several pictures as one: for exporting what a tab shows together.
#pragma once

#include <vector>

#include "app/figures/figure.h"

namespace headlight::figures {

// Adds everything of `part` to `into`, moved by `at`; sizes and background of `into` stay, data is added behind its own.
void put(Figure& into, const Figure& part, Point at);

// One below the other, `gap` points apart and `margin` around them, on the first one's background.
Figure stacked(const std::vector<Figure>& parts, float gap, float margin);

}  // namespace headlight::figures
