// Puts several figures into one, side by side in rows, for files.
#pragma once

#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// Adds the figure's items, moved by (x, y), and its data to `into`. add_moved(page, figure, 0, 200) puts `figure` at y = 200.
void add_moved(Figure& into, Figure figure, float x, float y);
// `columns` figures per row, `gap` points apart; each gets the room of the largest figure.
// side_by_side({a, b, c}, 2, 24) puts c below a; three figures of 100 x 50 points become one of 224 x 124.
Figure side_by_side(std::vector<Figure> figures, int columns, float gap);

}  // namespace headlight::figures
