// What stands under a matrix: the colour bar with its ends and words, the masked swatch, the note.
#pragma once

#include <string>
#include <vector>

#include "app/figures/figure.h"
#include "app/figures/theme.h"

namespace headlight::figures {

struct Legend {
  std::string colormap;
  float low = 0, high = 1;
  std::string range_words;
  bool masked = false;             // explain the hatching
  std::vector<std::string> notes;  // a line each, if they do not fit beside each other
};

// Height of the legend when it may be `width` wide.
float legend_height(const Legend& legend, float width, const TextMeasure& measure);
// Least width at which nothing of it is shortened, at most `most`.
float legend_width(const Legend& legend, float most, const TextMeasure& measure);
// Puts it at (x, y); the colour bar is `bar` wide, or as wide as its words need, and never more than `width`.
void add_legend(Figure& figure, const Legend& legend, float x, float y, float width, float bar, const Theme& theme,
                const TextMeasure& measure);

// An area of hatching alone.
Cells hatched(Box box);

}  // namespace headlight::figures
