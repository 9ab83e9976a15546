// Compose: the few moves that the text-like layouts are made of.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

inline Color with_alpha(Color color, float alpha) { return {color.r, color.g, color.b, alpha}; }

inline Text text_at(std::string words, Point at, float size, Font font, Color color) {
  Text text;
  text.text = std::move(words);
  text.at = at;
  text.size = size;
  text.font = font;
  text.color = color;
  return text;
}

struct Composer {
  Figure& figure;
  const Theme& theme;
  const TextMeasure& measure;

  void text(float x, float y, std::string words, float size, Font font, Color color, Align horizontal = Align::start,
            float max_width = 0, Tag tag = {}) const {
    Text item = text_at(std::move(words), {x, y}, size, font, color);
    item.horizontal = horizontal;
    item.max_width = max_width;
    item.tag = tag;
    figure.items.emplace_back(std::move(item));
  }
  void box(Box box, Color fill, Color stroke = {0, 0, 0, 0}, float line = 0, float radius = 0, Tag tag = {}) const {
    figure.items.emplace_back(Rectangle{box, fill, stroke, line, radius, tag});
  }
  void line(Point from, Point to, Color color, float width = 1) const { figure.items.emplace_back(Line{from, to, color, width}); }
  // A share 0..1 of a quiet track.
  void bar(Box track, double share, Color color) const {
    // Little rounded, so that a bar is as long as its number also where that is small.
    const float round = track.h < 6 ? track.h / 2 : 3;
    box(track, theme.raised, {0, 0, 0, 0}, 0, round);
    const float filled = track.w * static_cast<float>(share < 0 ? 0 : share > 1 ? 1 : share);
    if (filled < 0.5f) return;
    const float wide = filled < 1 ? 1 : filled;
    box({track.x, track.y, wide, track.h}, color, {0, 0, 0, 0}, 0, wide < 2 * round ? wide / 2 : round);
  }
};

// The cells of a matrix. The zero of a signed map has the colour of the page: a ground in the colour of lines shows as their
// edges and gaps where there are cells.
void add_cells(Figure& figure, Cells cells, const Theme& theme);

// Shifts an item of a figure, to put one figure into another.
void moved(Item& item, float dx, float dy);

// Cut at spaces so that each line fits; a word longer than a line is cut where it must be, between characters.
std::vector<std::string> wrap(std::string_view words, float width, float size, Font font, const TextMeasure& measure);

// Moves every item of a figure that is part of a larger one.
void move(Figure& figure, float dx, float dy);

// The figure drawn `factor` times as large: places, texts, line widths. Not the data, which are numbers.
Figure scaled(Figure figure, float factor);

// The figure with a margin, and its title above it if that is not empty; on the theme's background.
Figure framed(Figure figure, const std::string& title, float margin, const Theme& theme);

}  // namespace headlight::figures
