// Converts a figure from one theme to another, so that an export from the dark window can be printed.
#pragma once

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// Every colour that has a role in `from` becomes the colour of the same role in `to`, with its alpha kept; other colours stay.
// Cells and colour bars take their colours from the theme they are drawn with, and the black or white of numbers on cells is
// chosen again.
Figure recolored(Figure figure, const Theme& from, const Theme& to);

}  // namespace headlight::figures
