// A matrix as a table of its numbers, each on the colour of its value: an opened box shows this while the numbers fit.
#pragma once

#include <optional>

#include "app/figures/attention/layouts.h"

namespace headlight::figures {

// Takes the input of a heatmap. None if the requested rows and columns do not fit into the box with 13-point numbers and whole
// labels; a heatmap is shown then.
std::optional<Figure> walk_numbers(const HeatmapInput& input, float box_width, float box_height, const Theme& theme,
                                   const TextMeasure& measure);

}  // namespace headlight::figures
