// A model's answers place by place: the right token above, the model's answer below, and under the answer the probability of the
// right token.
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
    double probability = 0;  // probability of the right token, 0..1
  };
  std::vector<Place> places;
  std::string title;  // the picture's title in a file
};
// `width` points wide. data: the probabilities, by the right tokens.
// answers(input, 640, theme, measure) shows input.places from left to right.
Figure answers(const AnswersInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
