// Losses that a training stands still at for a while: what a model scores that has found out so much and no more.
#pragma once

#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/train/config.h"
#include "engine/train/data.h"

namespace headlight::train {

struct Plateau {
  enum class Knows {
    nothing,      // all symbols are alike: ln of their number
    row_symbols,  // which symbols stood in the row before, and how often, but not their order
    frequencies,  // how often each token comes
    last_token,   // how often each token comes behind the one before it
  } knows = Knows::nothing;
  double loss = 0;           // mean over the held-out labels, nats
  std::int64_t symbols = 0;  // of nothing: how many there are
};

// From the highest to the lowest. Frequencies are counted in up to 100 training batches, each token once more than it came; pairs
// add the frequencies once, so that none has probability 0. Error: cancelled.
Result<std::vector<Plateau>> plateaus(const Config& config, const Data& data, const CancelToken& cancel);

}  // namespace headlight::train
