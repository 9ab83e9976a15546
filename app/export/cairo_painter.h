// Draws a figure with Cairo: as vectors (PDF), or on an image of known resolution (PNG).
#pragma once

#include <cairo.h>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/status.h"

namespace headlight::figures {

// Draws `figure`; Cairo's user space must be in points. If `pixels_per_point` is above 0, the target is an image and cells are
// aligned with its pixels; 0 means vectors.
// paint(cairo, figure, theme, 2) draws into an image of 192 dpi; paint(cairo, figure, theme, 0) draws into a PDF.
void paint(cairo_t* cairo, const Figure& figure, const Theme& theme, double pixels_per_point);

// The error of a drawing that Cairo gave up: too_large if memory ran out, else internal.
Error cairo_error(cairo_status_t status);

}  // namespace headlight::figures
