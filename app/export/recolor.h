// Converts a figure from one theme to another, so that an export from the dark window can be printed.
#pragma once

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// Every colour that has a role in `from` becomes the colour of the same role in `to` and keeps its alpha; other colours stay.
// Cells and colour bars take their colours from the theme that draws them. The ink of numbers on cells, black or white, is chosen
// again.
// recolored(figure, dark, light): a rectangle in dark.panel gets light.panel.
Figure recolored(Figure figure, const Theme& from, const Theme& to);

}  // namespace headlight::figures
