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
    std::size_t run;   // index of its run
  };
  std::vector<Live> live;  // a number that is broken across lines has several
};

// `width` and `size` in points; `color` is that of plain words.
Prose prose(const std::vector<Run>& runs, float width, float size, figures::Color color, const figures::Theme& theme,
            const figures::TextMeasure& measure);

}  // namespace headlight::lessons
