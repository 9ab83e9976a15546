// A matrix as a table of its numbers, each on the colour of its value: what an opened box shows while they fit.
#pragma once

#include <optional>

#include "app/figures/attention/layouts.h"

namespace headlight::figures {

// The same input as a heatmap. Nothing if the rows and columns asked for do not fit into the box with numbers of 13 points and
// whole labels; then a heatmap shows them.
std::optional<Figure> walk_numbers(const HeatmapInput& input, float box_width, float box_height, const Theme& theme,
                                   const TextMeasure& measure);

}  // namespace headlight::figures
