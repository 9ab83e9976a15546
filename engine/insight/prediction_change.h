// The effect of interventions on a prediction: the next-word lists of two traces of one text beside each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct PredictionChange {
  std::int64_t position = 0;  // the words are predicted behind this position
  std::string behind;         // the token at the position, as the windows show it
  struct Word {
    std::int32_t token = 0;
    std::string label;
    double before = 0, now = 0;  // probabilities, 0..1
  };
  std::vector<Word> words;                      // the words with the largest probability in either trace, sorted by `before`
  double others_before = 0, others_now = 0;     // all other tokens together
  std::optional<double> loss_before, loss_now;  // TokenOutlook::loss
};

// The `count` words with the largest probability in either trace. `position`: as in HeadEffectsQuestion. Errors: traces of models
// with different vocabularies (invalid); those of token_outlook().
// prediction_change(*before, *now, {}, 10): ten words behind the last token.
Result<PredictionChange> prediction_change(const Trace& before, const Trace& now, std::optional<std::int64_t> position,
                                           std::size_t count);

}  // namespace headlight
