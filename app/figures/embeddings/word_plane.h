// Words in a plane, with the way that each word took during the training.
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
  std::size_t shown = 0;                                      // the checkpoint whose places are shown, with the ways to them
  double share = 0;                                           // share of the variance that lies in the plane, 0..1
  std::int64_t selected = -1;                                 // index of the amber word; -1: none
  std::vector<std::pair<std::int64_t, std::int64_t>> arrows;  // from word to word: the differences of an analogy
  std::string title, note;                                    // the note stands below, before the words on the axes
};
// Exactly `width` x `height` points. Every checkpoint has the same scale. Tags: words {Tag::row, word}. data: "paths"
// [checkpoint, word, component], up to the shown checkpoint. word_plane(input, 480, 480, theme, measure) shows all of
// input.words.
Figure word_plane(const WordPlaneInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
