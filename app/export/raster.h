// A figure as pixels, for PNG and for the frames of films.
#pragma once

#include "app/export/png_writer.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/status.h"

namespace headlight::figures {

// A figure's point is 1/96 inch: pixels are points x dpi / 96, rounded up. If `width` and `height` are given, the picture has
// that size and the figure is in its upper left corner; the rest gets the figure's background (the theme's if it has none).
// Errors: a side of more than 32,767 pixels, more than 300 million pixels in all; those of Cairo.
// nearest: the number of pixels is rounded to the nearest instead, so that a picture of an exact size has it within half a pixel.
Result<Pixels> rasterise(const Figure& figure, const Theme& theme, int dpi, int width = 0, int height = 0, bool nearest = false);

}  // namespace headlight::figures
