// Several pictures as one: side by side, line after line, for files.
#pragma once

#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// The figure's items moved by (x, y) into `into`, and its data after `into`'s.
void add_moved(Figure& into, Figure figure, float x, float y);
// `columns` in a line; all of equal room, the largest there is.
Figure side_by_side(std::vector<Figure> figures, int columns, float gap);

}  // namespace headlight::figures
