// Continuing texts token by token, and translating them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/pipeline/predict.h"

namespace headlight {

struct GenerateOptions {
  std::int64_t tokens = 50;      // the most that are added to a text
  double temperature = 0;        // softmax(scores / temperature); 0: the best token each time
  std::int64_t top_k = 0;        // only the best k tokens are drawn from; 0: all
  double top_p = 1;              // only the fewest best tokens that together have this probability
  std::uint64_t seed = 0;        // text n, step s draws by (seed, n, s) alone
  std::int64_t candidates = 10;  // listed of each step, at most
};

struct Generated {
  struct Candidate {
    std::int32_t token = 0;
    double probability = 0;  // at the temperature (at 1 where that is 0), before top_k and top_p
  };
  struct Step {
    std::int32_t token = 0;             // the one taken
    std::vector<Candidate> candidates;  // best first, of equal ones the lower id; the one taken last if it is none of the best
  };
  std::vector<Step> steps;
  std::string output;  // the tokens as text, without special ones
  bool ended = false;  // the last token is the end token
};

// One result a text, each until its end token or options.tokens. A decoder continues the text, and reads no more than the last
// tokens that it was trained on at a time; an encoder-decoder says it again in its other language. `progress` is told the texts
// that are done. Errors: a model that continues nothing (usage), an empty text where there is no [BOS], a source that is too
// long, cancelled.
Result<std::vector<Generated>> generate(const Predictor& predictor, const std::vector<std::string>& texts,
                                        const GenerateOptions& options, const CancelToken& cancel,
                                        const std::function<void(std::int64_t done, std::int64_t total)>& progress = {});

}  // namespace headlight
