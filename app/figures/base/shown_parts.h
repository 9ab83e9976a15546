// Removes parts of a picture or adds the user's own words: for figures in papers, whose captions stand in the text.
#pragma once

#include <string>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// Which parts of a picture are drawn.
struct ShownParts {
  bool title = true, axes = true, numbers = true, legend = true, caption = true, note = true;
  bool operator==(const ShownParts&) const = default;
};

// The part that an item belongs to: its tag's part. A semibold text that equals figure.title is a title, too.
// part_of(Line{}, figure) gives Part::picture.
Part part_of(const Item& item, const Figure& figure);

// The figure without the parts that are not shown. Items below a line that becomes free move up, and the figure is cut to the
// remaining items and keeps its margins. With all parts shown the figure stays unchanged.
// with_parts(figure, {.title = false}, measure) removes the title and the line that it took.
Figure with_parts(Figure figure, const ShownParts& shown, const TextMeasure& measure);

// The smallest box around all visible items of the figure; w = 0: no item is visible. The background does not count.
// seen_box(figure, measure) of a single filled rectangle gives the rectangle's box.
Box seen_box(const Figure& figure, const TextMeasure& measure);

// The box around one item; of a rotated text the upright box around it.
Box seen_box(const Item& item, const TextMeasure& measure);

// The figure with a heading above, or a caption below, broken into lines as wide as the figure. Empty words change nothing.
// with_heading(figure, "Head 3", theme, measure) is higher by a line of 18 points and a gap.
Figure with_heading(Figure figure, const std::string& words, const Theme& theme, const TextMeasure& measure);
Figure with_caption(Figure figure, const std::string& words, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
