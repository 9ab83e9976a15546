// A lesson's text as a picture: runs of words, bold words, formulas and live numbers, broken into lines. Chinese and Japanese
// break between characters, never before a closing mark.
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
    std::size_t run;   // of the runs it was made from
  };
  std::vector<Live> live;  // a number that breaks over lines has several
};

// `width` and `size` in points; `color` of plain words.
Prose prose(const std::vector<Run>& runs, float width, float size, figures::Color color, const figures::Theme& theme,
            const figures::TextMeasure& measure);

}  // namespace headlight::lessons
