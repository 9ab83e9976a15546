// The choice of the next token from a model's scores: temperature, top-k, top-p and the draw. Generation and the window's list of
// candidates both call these functions, so that a token is drawn from the list that is shown.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headlight {

struct SamplingOptions {
  double temperature = 0;  // softmax(scores / temperature); 0: the best token each time
  std::int64_t top_k = 0;  // only the best k tokens can be drawn; 0: all
  double top_p = 1;        // only the fewest best tokens that together have this probability can be drawn (Holtzman et al. 2020)
};

struct TokenCandidate {
  std::int32_t token = 0;
  double probability = 0;  // at the temperature (at 1 where that is 0), before top_k and top_p
};

// All tokens of `scores` with their probabilities. The first `wanted` are sorted, best first, of equal ones the lower id first.
// ranked_tokens({0, 1}, 1, 2): token 1 with .731, then token 0 with .269.
std::vector<TokenCandidate> ranked_tokens(std::span<const double> scores, double temperature, std::size_t wanted);

// The number of ranked tokens that may be drawn: at least one, and at temperature 0 only the best. The tokens must be sorted up
// to this number.
// tokens_allowed(ranked, {1, 0, 0.7}) of the probabilities .5, .25, .15, .1 gives 2.
std::size_t tokens_allowed(std::span<const TokenCandidate> ranked, const SamplingOptions& options);

// One of the first `count` tokens, drawn in proportion to their probabilities; `uniform` is in [0, 1).
// drawn_token(ranked, 2, 0.7) of the probabilities .6, .3 gives the second token.
std::int32_t drawn_token(std::span<const TokenCandidate> ranked, std::size_t count, double uniform);

}  // namespace headlight
