// The expectation of a model as a picture for slides: the sentence with a creature that reads it, and beside them the creature's
// thought, the candidates for the next word.
#pragma once

#include <string>

#include "app/figures/next_word/next_word_figures.h"

namespace headlight::figures {

struct ThinkingInput {
  std::string sentence;  // the words before the next word
  CandidatesInput candidates;
};
// `width` points wide and as high as its parts need; the rows in the thought are tagged {Tag::row, index}. If there is no room
// for both, the thought stands below the sentence. data: "model" and "drawn" [candidate].
// thinking({"The fox", candidates}, 900, theme, measure) shows the sentence and the candidates.
Figure thinking(const ThinkingInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
