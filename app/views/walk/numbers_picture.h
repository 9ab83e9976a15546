// A matrix as a table of its numbers, each on the colour of its value. An opened box shows this table if the numbers fit.
#pragma once

#include <optional>

#include "app/figures/attention/layouts.h"

namespace headlight::figures {

// Takes the input of a heatmap. Returns none if the requested rows and columns do not fit into the box with 13-point numbers and
// whole labels; the caller then shows a heatmap.
// walk_numbers(input, 10, 10, theme, measure) gives none: no number fits.
std::optional<Figure> walk_numbers(const HeatmapInput& input, float box_width, float box_height, const Theme& theme,
                                   const TextMeasure& measure);

}  // namespace headlight::figures
