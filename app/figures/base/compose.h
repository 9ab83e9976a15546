// Composer: helper functions of the layouts that consist mainly of text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

inline Color with_alpha(Color color, float alpha) { return {color.r, color.g, color.b, alpha}; }

// The parts of a picture, as tags of what cannot be pointed at.
inline constexpr Tag kTitleTag{Tag::none, 0, 0, Part::title}, kAxisTag{Tag::none, 0, 0, Part::axis},
    kNoteTag{Tag::none, 0, 0, Part::note};

Text text_at(std::string words, Point at, float size, Font font, Color color);

struct Composer {
  Figure& figure;
  const Theme& theme;
  const TextMeasure& measure;

  void text(float x, float y, std::string words, float size, Font font, Color color, Align horizontal = Align::start,
            float max_width = 0, Tag tag = {}) const;
  void box(Box box, Color fill, Color stroke = {0, 0, 0, 0}, float line = 0, float radius = 0, Tag tag = {}) const;
  void line(Point from, Point to, Color color, float width = 1) const;
  // A quiet track, filled to the share 0..1.
  void bar(Box track, double share, Color color) const;
};

// Adds the cells of a matrix. Zero on a signed map has the page's colour; a background in the line colour makes edges and gaps of
// such cells visible.
void add_cells(Figure& figure, Cells cells, const Theme& theme);

// Moves an item, to put one figure into another.
void moved(Item& item, float dx, float dy);

// Breaks text at spaces so that each line fits; a word longer than a line is broken between characters.
std::vector<std::string> wrap(std::string_view words, float width, float size, Font font, const TextMeasure& measure);

// The first of the texts that is at most `width` wide, the longest before the shorter ones; empty where none is.
std::string first_that_fits(const std::vector<std::string>& texts, float width, float size, Font font,
                            const TextMeasure& measure);

// Moves all items of a figure, to make it part of a larger one.
void move(Figure& figure, float dx, float dy);

// The figure drawn `factor` times as large: positions, texts, line widths. The data stay the same.
Figure scaled(Figure figure, float factor);

// The figure with a margin, and its title above unless that is empty, on the theme's background.
Figure framed(Figure figure, const std::string& title, float margin, const Theme& theme);

}  // namespace headlight::figures
