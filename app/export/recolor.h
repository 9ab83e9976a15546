// A figure made in one theme as it looks in another: what is exported from the dark window becomes printable.
#pragma once

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// Every colour that is a role of `from` becomes the same role of `to`, its alpha kept; others stay. Cells and colour bars take
// their colours from the theme they are drawn with, and the black or white numbers on cells are chosen again.
Figure recolored(Figure figure, const Theme& from, const Theme& to);

}  // namespace headlight::figures
