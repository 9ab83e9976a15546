// The losses of one sentence in two ways: each place's logits are compared with the place's own token, as in the notes, and with
// the next token, as a model is trained.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct WalkLosses {
  struct Place {
    std::string read;                    // the token that the decoder reads here
    std::string own, next;               // the labels without and with the shift by one; empty: none
    double own_loss = 0, next_loss = 0;  // in nats
  };
  std::vector<Place> places;
  bool shifted = false;                // the step compares with the next token; false: with the place's own token
  std::string own_words, next_words;   // "[200,8192] against [200]", "[180,8192] against [180]"
  double own_mean = 0, next_mean = 0;  // means over all sentences, in nats; NaN: there is no such mean
};

// `width` points wide: a line for each place, two columns of labels with their losses; the column that the step computes has full
// colour. walk_losses(input, 480, theme, measure) is as high as its lines.
Figure walk_losses(const WalkLosses& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
