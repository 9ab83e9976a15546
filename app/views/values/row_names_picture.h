// The names of tokens beside the rows of a map.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/compose.h"

namespace headlight::figures {

// Names the rows of a map whose first row begins at y = at.y, each `pitch` points high; the names end at x = at.x, which is also
// their most width. Where they do not all fit, every n-th is named, and the figure says so. `hot`: the lit row, or -1.
// add_row_names(pen, labels, 12, -1, {80, 76}, 20)
void add_row_names(const Composer& pen, const std::vector<std::string>& labels, std::int64_t rows, std::int64_t hot, Point at,
                   float pitch);

}  // namespace headlight::figures
