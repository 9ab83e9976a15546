// Plateaus: losses at which a training stands still for a while. Each is the loss of a model that has found out one fact about
// the data and no more.
#pragma once

#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/train/config.h"
#include "engine/train/data.h"

namespace headlight::train {

struct Plateau {
  // The fact that such a model knows.
  enum class Knows {
    nothing,      // no fact: all symbols have the same probability, and the loss is ln of their number
    row_symbols,  // the symbols that stood in the row before, and their numbers, but not their order
    frequencies,  // the frequency of each token
    last_token,   // the frequency of each token behind the token before it
  } knows = Knows::nothing;
  double loss = 0;           // mean over the held-out labels, nats
  std::int64_t symbols = 0;  // of `nothing`: the number of symbols
};

// From the highest to the lowest loss. Frequencies are counted in up to 100 training batches, and each token counts once more
// than it comes. Pairs of tokens add these frequencies once, so that no pair has probability 0. Error: cancelled.
// plateaus(config, *data, cancel): plateaus of nothing, frequencies and last_token for a training on text.
Result<std::vector<Plateau>> plateaus(const Config& config, const Data& data, const CancelToken& cancel);

}  // namespace headlight::train
