// How well mere counting predicts what a model is asked for: the figures that the model's own stand beside.
#pragma once

#include <cstdint>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/train/config.h"
#include "engine/train/data.h"

namespace headlight::train {

// Shares of the held-out labels, 0 to 1. A unigram count ranks all pieces by how often they stand in the training part; a bigram
// count those that stand there after the same token, and falls back on the other where that token is hidden or never came.
struct CountScores {
  std::int64_t labels = 0;                     // that were held out
  double unigram_first = 0, unigram_five = 0;  // the label is the most frequent piece; it is among the five most frequent
  double bigram_first = 0, bigram_five = 0;
};

// Counts one epoch of the training and asks all held-out batches. Not for random sequences, which have no epochs. Error:
// cancelled.
Result<CountScores> count_scores(const Data& data, Task task, const CancelToken& cancel = {});

}  // namespace headlight::train
