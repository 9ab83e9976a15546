// A figure as pixels, for PNG and for the frames of films.
#pragma once

#include "app/export/png_writer.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/status.h"

namespace headlight::figures {

// A figure's point is 1/96 inch: pixels are points x dpi / 96, rounded up. Where `width` and `height` are given, the picture has
// that size and the figure stands in its upper left corner, the rest being its background (the theme's where it has none).
// Errors: more than 32,767 pixels a side or 300 million in all; Cairo's.
Result<Pixels> rasterise(const Figure& figure, const Theme& theme, int dpi, int width = 0, int height = 0);

}  // namespace headlight::figures
