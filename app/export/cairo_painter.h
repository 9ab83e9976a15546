// Draws a figure with Cairo: as vectors (PDF), or on an image of known resolution (PNG).
#pragma once

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

typedef struct _cairo cairo_t;  // NOLINT: as cairo.h declares it

namespace headlight::figures {

// Cairo's user space is in points. `pixels_per_point` > 0: the target is an image, and cells are aligned with its pixels; 0:
// vectors.
void paint(cairo_t* cairo, const Figure& figure, const Theme& theme, double pixels_per_point);

}  // namespace headlight::figures
