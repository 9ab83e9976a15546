// Two attention layers over a text, and nothing else: a network that learns beside the recurrent networks. Plain loops in double.
#pragma once

#include "engine/recurrence/network.h"

namespace headlight::recurrence {

// x_t = E[token_t] + p_t with sinusoidal positions p (Vaswani et al. 2017), then twice x += W_o sum_{j <= t} w_tj W_v n(x_j), and
// y_t = softmax(W_y n(x_t) + b_y), the prediction of the next token. n divides by the root of the mean square (Zhang and Sennrich
// 2019), without which learning jumps. The layers have no feed-forward parts (Elhage et al. 2021).
struct AttentionSettings {
  std::int64_t width = 16;  // of x, and of the one head
  // true: w by the similarity elu(q) + 1, elu(k) + 1 of linear attention; false: by softmax(q . k / sqrt(width))
  bool linear = false;
  std::uint64_t seed = 0;
};

struct AttentionNetwork {
  AttentionSettings settings;
  std::int64_t symbols = 0;
  std::vector<double> numbers;  // E, then W_q, W_k, W_v, W_o of each layer, then W_y, b_y; matrices row by row, [out, in]
  std::int64_t parameters() const { return static_cast<std::int64_t>(numbers.size()); }
};
// Errors (usage): no symbols or no width, more than kMostSymbols or kMostUnits.
// draw(AttentionSettings{16, false, 0}, 5): a network of width 16 that reads 5 different tokens.
Result<AttentionNetwork> draw(const AttentionSettings& settings, std::int64_t symbols);

struct AttentionReading {
  Tensor guesses;              // f64 [T, symbols]
  std::vector<double> losses;  // of each step but the last, in nat
  double sum = 0;
  std::vector<double> gradients;  // of the sum of the losses by every number
};
// Errors (usage): no token, a token that is no symbol, more than kMostSteps; cancelled.
// read(network, {0, 1, 0}): three rows of guesses and two losses.
Result<AttentionReading> read(const AttentionNetwork& network, const std::vector<std::int64_t>& tokens,
                              const CancelToken& cancel = {});

}  // namespace headlight::recurrence
