// A figure as pixels, for PNG and for the frames of films.
#pragma once

#include "app/export/png_writer.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/status.h"

namespace headlight::figures {

// Draws a figure into pixels. A figure's point is 1/96 inch: a side of p points has p * dpi / 96 pixels, rounded up. `nearest`
// rounds to the nearest number instead, so that a picture of an exact size has this size within half a pixel. If `width` and
// `height` (in pixels) are given, the picture has that size and the figure is in its upper left corner; the rest gets the
// figure's background (the theme's if the figure has none). Errors: (too_large) a side of more than 32,767 pixels, more than 300
// million pixels in all; those of Cairo.
// rasterise(figure, theme, 192) of a figure of 100 x 50 points gives 200 x 100 pixels.
Result<Pixels> rasterise(const Figure& figure, const Theme& theme, int dpi, int width = 0, int height = 0, bool nearest = false);

}  // namespace headlight::figures
