// Helper functions of the layouts: adding, moving and scaling items, and breaking text into lines.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// with_alpha(theme.info, 0.5f) is theme.info, half transparent.
inline Color with_alpha(Color color, float alpha) { return {color.r, color.g, color.b, alpha}; }

// Tags for the parts of a picture that the mouse does not find.
inline constexpr Tag kTitleTag{Tag::none, 0, 0, Part::title}, kAxisTag{Tag::none, 0, 0, Part::axis},
    kNoteTag{Tag::none, 0, 0, Part::note};

// A level text. text_at("query", {20, 40}, 13, Font::words, theme.text) begins at x = 20 with its middle at y = 40.
Text text_at(std::string words, Point at, float size, Font font, Color color);

// Adds items to a figure. Composer{figure, theme, measure}.text(20, 40, "query", 13, Font::words, theme.text) adds a text.
struct Composer {
  Figure& figure;
  const Theme& theme;
  const TextMeasure& measure;

  void text(float x, float y, std::string words, float size, Font font, Color color, Align horizontal = Align::start,
            float max_width = 0, Tag tag = {}) const;
  // Adds a rectangle; `line` is the width of its edge. box({0, 0, 80, 20}, theme.panel) adds one without an edge.
  void box(Box box, Color fill, Color stroke = {0, 0, 0, 0}, float line = 0, float radius = 0, Tag tag = {}) const;
  // Adds a heading at the upper edge, and quiet words at the right end of its line where both have room.
  void heading(const std::string& title, const std::string& quiet, float size) const;
  // Adds a straight line. line({0, 20}, {80, 20}, theme.line) adds a level line 80 points long.
  void line(Point from, Point to, Color color, float width = 1) const;
  // Adds a track in a quiet colour, filled from the left to `share` (0..1) in `color`; if `share` is no finite number, the whole
  // track has the colour of its kind. bar({0, 0, 80, 10}, 0.5, c) fills 40 points.
  void bar(Box track, double share, Color color) const;
};

// Adds the cells of a matrix. On a signed map zero has the page's colour, so a background in the line colour makes the edges and
// gaps of the cells visible. add_cells(figure, cells, theme) adds one item, or two for a signed map.
void add_cells(Figure& figure, Cells cells, const Theme& theme);

// Moves an item by (dx, dy) points, to put one figure into another. moved(item, 10, 0) moves `item` to the right.
void moved(Item& item, float dx, float dy);

// Breaks text at spaces so that each line is at most `width` points wide; a word longer than a line is broken between characters.
// wrap("one two", 1000, 13, Font::words, measure) gives {"one two"}.
std::vector<std::string> wrap(std::string_view words, float width, float size, Font font, const TextMeasure& measure);

// The first text that is at most `width` points wide; an empty text if none is. List the longest text first.
// first_that_fits({"query (attends)", "query"}, 1000, 13, Font::words, measure) gives "query (attends)".
std::string first_that_fits(const std::vector<std::string>& texts, float width, float size, Font font,
                            const TextMeasure& measure);

// Moves all items of a figure by (dx, dy) points; the figure's size stays. move(figure, 0, 40) makes room for a title above.
void move(Figure& figure, float dx, float dy);

// The figure drawn `factor` times as large: positions, texts, line widths. The data stay the same.
// scaled(figure, 2) of a figure of 100 x 50 points is 200 x 100 points large.
Figure scaled(Figure figure, float factor);

// The figure with a margin on the theme's background, and with `title` above unless it is empty.
// framed(figure, "", 12, theme) of a figure of 100 x 50 points is 124 x 74 points large.
Figure framed(Figure figure, const std::string& title, float margin, const Theme& theme);

}  // namespace headlight::figures
