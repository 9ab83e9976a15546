// What the losses of one sentence compare: each place's row of logits against its own token, as in the notes, and against the
// next one, as a model is trained.
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
  bool shifted = false;                // which of the two the step is
  std::string own_words, next_words;   // "[200,8192] against [200]", "[180,8192] against [180]"
  double own_mean = 0, next_mean = 0;  // over all sentences; NaN: there is none
};

// As wide as `width`: a line a place, two columns of labels with their losses, the current one at full strength.
Figure walk_losses(const WalkLosses& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
