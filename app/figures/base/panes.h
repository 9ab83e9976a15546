// Several figures in one: side by side, in rows, for files.
#pragma once

#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// Adds the figure's items, moved by (x, y), and its data to `into`.
void add_moved(Figure& into, Figure figure, float x, float y);
// `columns` figures per row; all get the same room, that of the largest.
Figure side_by_side(std::vector<Figure> figures, int columns, float gap);

}  // namespace headlight::figures
