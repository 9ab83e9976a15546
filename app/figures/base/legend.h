// What stands under a matrix: the colour bar with its ends and words, the masked swatch, the note.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct Legend {
  std::string colormap;
  float low = 0, high = 1;
  std::string low_words, high_words;  // at the ends; empty: the numbers
  std::string range_words;
  // Instead of the bar: discs of these shares of the largest one's area, and what is written beside them.
  std::vector<std::pair<float, std::string>> discs;
  float disc_room = 0;  // diameter of the largest
  Color disc_color;
  struct Head {
    std::string name;
    int hue = 0;
  };
  std::vector<Head> heads;         // a mark in its hue and its name, for pictures of several heads
  bool brief = false;              // in a narrow column
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

// The legend as a picture of its own, its bar (or discs) beginning at `left`.
Figure legend_figure(const Legend& legend, float left, float bar, float width, const Theme& theme, const TextMeasure& measure);

// An area of hatching alone.
Cells hatched(Box box);

}  // namespace headlight::figures
