// A figure as SVG 1.1. We do not use Cairo here because it turns text into outlines; in our files text stays text that can be
// searched, copied and edited.
#pragma once

#include <string>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/files/figure_style.h"
#include "engine/core/status.h"

namespace headlight::figures {

// Returns the file's text. `unit` is the unit of the file's width and height; without one they are in points. The coordinates
// inside are always in points.
// svg_of(figure, theme, {}, Length::mm) of a figure 96 points wide gives an <svg width="25.4mm" ...>.
Result<std::string> svg_of(const Figure& figure, const Theme& theme, const std::string& document,
                           Length::Unit unit = Length::none);

}  // namespace headlight::figures
