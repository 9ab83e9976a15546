// What a model answers place by place: above what should come, below its answer, under it the probability of the right one.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct AnswersInput {
  struct Place {
    std::string right, answer;
    bool is_right = false;
    double probability = 0;  // of the right one, 0..1
  };
  std::vector<Place> places;
  std::string title;  // of a file's picture
};
// `width` points wide. data: the probabilities, by the right tokens.
Figure answers(const AnswersInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
