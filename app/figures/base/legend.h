// The legend below a matrix: the colour bar with its ends and words, the swatch for masked cells, notes.
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
  std::string low_words, high_words;  // at the ends; empty: the numbers there
  std::string range_words;
  // Instead of the bar: discs whose areas are these shares of the largest, and the texts beside them.
  std::vector<std::pair<float, std::string>> discs;
  float disc_room = 0;  // diameter of the largest disc
  Color disc_color;
  struct Head {
    std::string name;
    int hue = 0;
  };
  std::vector<Head> heads;         // for pictures of several heads: a mark in each head's hue and its name
  bool brief = false;              // in a narrow column
  bool masked = false;             // explain the hatching
  std::vector<std::string> notes;  // each on its own line, if they do not fit side by side
  std::string origin;              // the one of the notes that says where the numbers come from; empty: none does
};

// Height of the legend if it may be `width` wide.
float legend_height(const Legend& legend, float width, const TextMeasure& measure);
// The smallest width, at most `most`, at which nothing is shortened.
float legend_width(const Legend& legend, float most, const TextMeasure& measure);
// Adds the legend at (x, y). The colour bar is `bar` wide, or as wide as its words need, and never wider than `width`.
void add_legend(Figure& figure, const Legend& legend, float x, float y, float width, float bar, const Theme& theme,
                const TextMeasure& measure);

// The legend as a figure of its own; its bar (or discs) begins at `left`.
Figure legend_figure(const Legend& legend, float left, float bar, float width, const Theme& theme, const TextMeasure& measure);

// A hatched area.
Cells hatched(Box box);

}  // namespace headlight::figures
