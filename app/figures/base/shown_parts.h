// Pictures without some of their parts, and with words of one's own: for figures in papers, whose captions stand in the text.
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

// The part that an item is. A picture's title is also what says figure.title in semibold type.
Part part_of(const Item& item, const Figure& figure);

// The figure without the parts that are not shown: what stands below a line that is left free moves up, and the figure is cut to
// what is left, with the margins that it had. With all parts shown it is the figure itself.
Figure with_parts(Figure figure, const ShownParts& shown, const TextMeasure& measure);

// The smallest box around all that can be seen of the figure, its background aside; w = 0: there is nothing.
Box seen_box(const Figure& figure, const TextMeasure& measure);

// The figure under a heading, or above a caption, in lines that are as wide as the figure. Empty words change nothing.
Figure with_heading(Figure figure, const std::string& words, const Theme& theme, const TextMeasure& measure);
Figure with_caption(Figure figure, const std::string& words, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
