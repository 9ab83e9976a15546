// Continuing texts token by token, and translating them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/pipeline/predict.h"
#include "engine/pipeline/token_choice.h"

namespace headlight {

struct GenerateOptions : SamplingOptions {
  std::int64_t tokens = 50;      // the most that are added to a text
  std::uint64_t seed = 0;        // text n, step s draws by (seed, n, s) alone
  std::int64_t candidates = 10;  // listed of each step, at most
};

struct Generated {
  using Candidate = TokenCandidate;
  struct Step {
    std::int32_t token = 0;             // the one taken
    std::vector<Candidate> candidates;  // best first, of equal ones the lower id; the one taken last if it is none of the best
    double chance = 1;                  // with which it was taken: its share of the tokens that could be drawn
  };
  std::vector<Step> steps;
  std::string output;  // the tokens as text, without special ones
  bool ended = false;  // the last token is the end token
};

// The token of step `step` of text `text`, from the scores behind what was there before.
Generated::Step choose_token(const std::vector<double>& scores, const GenerateOptions& options, std::size_t text,
                             std::size_t step);

// One result a text, each until its end token or options.tokens. A decoder continues the text, and reads no more than the last
// tokens that it was trained on at a time; an encoder-decoder says it again in its other language. `progress` is told the texts
// that are done. Errors: a model that continues nothing (usage), an empty text where there is no [BOS], a source that is too
// long, cancelled.
Result<std::vector<Generated>> generate(const Predictor& predictor, const std::vector<std::string>& texts,
                                        const GenerateOptions& options, const CancelToken& cancel,
                                        const std::function<void(std::int64_t done, std::int64_t total)>& progress = {});

}  // namespace headlight
