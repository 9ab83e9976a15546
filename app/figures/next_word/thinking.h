// The sentence with a creature that reads it, and beside them the candidates for the next word in its thought: what a model
// expects, for slides.
#pragma once

#include <string>

#include "app/figures/next_word/next_word_figures.h"

namespace headlight::figures {

struct ThinkingInput {
  std::string sentence;  // up to the place that is asked for
  CandidatesInput candidates;
};
// `width` points wide and as high as its parts need; the rows in the thought are tagged {Tag::row, number}. Where there is no
// room for both, the thought stands below the sentence. data: "model" and "drawn" [candidate].
Figure thinking(const ThinkingInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
