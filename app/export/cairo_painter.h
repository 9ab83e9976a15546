// Draws a figure with Cairo: as vectors (PDF), or on an image of known resolution (PNG).
#pragma once

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

typedef struct _cairo cairo_t;  // NOLINT: as cairo.h declares it

namespace headlight::figures {

// Draws `figure`; Cairo's user space must be in points. If `pixels_per_point` is above 0, the target is an image and cells are
// aligned with its pixels; 0 means vectors.
// paint(cairo, figure, theme, 2) draws into an image of 192 dpi; paint(cairo, figure, theme, 0) draws into a PDF.
void paint(cairo_t* cairo, const Figure& figure, const Theme& theme, double pixels_per_point);

}  // namespace headlight::figures
