// Words in a plane, with the way that each has come while it was learnt.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct WordPlaneInput {
  std::vector<std::string> words;
  std::vector<std::vector<std::array<double, 2>>> points;     // [checkpoint][word]
  std::size_t shown = 0;                                      // the checkpoint whose places are shown, behind their ways there
  double share = 0;                                           // of the variance that the plane has, 0..1
  std::int64_t selected = -1;                                 // a word, amber
  std::vector<std::pair<std::int64_t, std::int64_t>> arrows;  // from word to word: the differences of an analogy
  std::string title, note;                                    // the note stands below, before that of the axes
};
// Exactly `width` x `height`. Every checkpoint has the same scale. Tags: words {Tag::row, word}. data: "paths" [checkpoint, word,
// component], up to the one that is shown.
Figure word_plane(const WordPlaneInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
