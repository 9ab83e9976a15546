// A lesson's text as a picture: runs of words, bold words, formulas and live numbers, broken into lines. Chinese and Japanese
// break between characters, but never before a closing mark.
#pragma once

#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/lessons/places.h"

namespace headlight::lessons {

struct Prose {
  figures::Figure figure;
  struct Live {
    figures::Box box;  // in the figure's points
    std::size_t run;   // index into `runs`
  };
  std::vector<Live> live;  // one box a line, for a number that is broken across lines
};

// `width` and `size` are in points; `color` is the colour of plain words.
// prose(fill_places(text, source), 360, 16, theme.text, theme, measure) is 360 points wide.
Prose prose(const std::vector<Run>& runs, float width, float size, figures::Color color, const figures::Theme& theme,
            const figures::TextMeasure& measure);

}  // namespace headlight::lessons
