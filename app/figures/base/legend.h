// The legend below a matrix: the colour bar with its ends and words, the swatch for masked cells, notes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/non_finite.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct Legend {
  std::string colormap;
  float low = 0, high = 1;
  std::string low_words, high_words;  // words at the bar's ends; empty: the numbers `low` and `high`
  std::string range_words;
  // Discs instead of the bar: each disc's area as a share of the largest area, and the text beside the disc.
  std::vector<std::pair<float, std::string>> discs;
  float disc_room = 0;  // diameter of the largest disc
  Color disc_color;
  struct Head {
    std::string name;
    int hue = 0;
  };
  std::vector<Head> heads;         // for pictures of several heads: a mark in each head's hue and its name
  bool brief = false;              // shorter words, for a narrow column
  bool masked = false;             // explain the hatching
  std::string masked_words;        // in these words; empty: masked by the attention's mask
  NonFiniteCount non_finite;       // each kind that occurs gets its colour and its number of cells, tagged Tag::non_finite
  NonFiniteCount gaps;             // the same of values that have no cells
  std::vector<std::string> notes;  // each on its own line, if they do not fit side by side
  std::string origin;              // the note that names the origin of the numbers; empty: none of `notes` does
};

// Height of the legend if it may be `width` wide, in points. legend_height({}, 400, measure) gives 0: this legend has no bar.
float legend_height(const Legend& legend, float width, const TextMeasure& measure);
// The smallest width at which no words are shortened, at most `most`, in points.
// legend_width(legend, 400, measure) gives 400 or less, and at least 160 for a bar.
float legend_width(const Legend& legend, float most, const TextMeasure& measure);
// Adds the legend with its upper left corner at (x, y), at most `width` points wide. The colour bar is `bar` wide, or as wide as
// its words need, and never wider than `width`.
// add_legend(figure, legend, 16, 300, 400, 200, theme, measure) adds a bar at least 200 points wide at (16, 300).
void add_legend(Figure& figure, const Legend& legend, float x, float y, float width, float bar, const Theme& theme,
                const TextMeasure& measure);

// The legend as a figure of its own, `width` points wide. Its bar (or discs) begins at x = `left`, or further left if its words
// need the room.
// legend_figure(legend, 80, 200, 500, theme, measure) is 500 points wide, with a bar that begins at x = 80 or before.
Figure legend_figure(const Legend& legend, float left, float bar, float width, const Theme& theme, const TextMeasure& measure);

// The figure with a line below that counts its cells without a finite number, as a legend does, unless it has such a line
// already, and its gaps. with_counted_cells(figure, theme, measure) of finite numbers is the figure itself.
Figure with_counted_cells(Figure figure, const Theme& theme, const TextMeasure& measure);

// A hatched area, and a cell that holds no finite number.
Cells hatched(Box box);
Cells cell_of(NonFinite kind, Box box);

}  // namespace headlight::figures
