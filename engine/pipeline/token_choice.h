// How the next token is chosen from a model's scores: temperature, top-k, top-p and the draw. Generation and the window's list of
// candidates both call these functions, so that what is listed is what is drawn from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headlight {

struct SamplingOptions {
  double temperature = 0;  // softmax(scores / temperature); 0: the best token each time
  std::int64_t top_k = 0;  // only the best k tokens are drawn from; 0: all
  double top_p = 1;        // only the fewest best tokens that together have this probability (Holtzman et al. 2020)
};

struct TokenCandidate {
  std::int32_t token = 0;
  double probability = 0;  // at the temperature (at 1 where that is 0), before top_k and top_p
};

// All tokens of `scores` with their probabilities, best first, of equal ones the lower id first; sorted as far as `wanted`.
std::vector<TokenCandidate> ranked_tokens(std::span<const double> scores, double temperature, std::size_t wanted);

// How many of the ranked tokens may be drawn: at least one, and at temperature 0 only the best. They are sorted so far.
std::size_t tokens_allowed(std::span<const TokenCandidate> ranked, const SamplingOptions& options);

// One of the first `count` tokens, each as often as its probability says; `uniform` is in [0, 1).
std::int32_t drawn_token(std::span<const TokenCandidate> ranked, std::size_t count, double uniform);

}  // namespace headlight
