// Predictions by mere counting: their scores stand beside those of the model.
#pragma once

#include <cstdint>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/train/config.h"
#include "engine/train/data.h"

namespace headlight::train {

// Shares of the held-out labels, 0 to 1. A unigram count ranks all pieces by their number in the training part. A bigram count
// ranks the pieces that follow the same token there; where this token is hidden or never occurred, it uses the unigram ranks.
struct CountScores {
  std::int64_t labels = 0;                     // number of held-out labels
  double unigram_first = 0, unigram_five = 0;  // the label is the most frequent piece; it is among the five most frequent
  double bigram_first = 0, bigram_five = 0;
};

// Counts one epoch of the training and scores all held-out batches. Not for random sequences, which have no epochs. Error:
// cancelled.
// count_scores(*data, config.task): bigram_first is the share that a bigram model gets right.
Result<CountScores> count_scores(const Data& data, Task task, const CancelToken& cancel = {});

}  // namespace headlight::train
