// Pairs of a text and its target, one a line, as a corpus of translations has them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/pipeline/predict.h"

namespace headlight {

struct TokenPair {
  TokenIds source;         // with [BOS] and [EOS] as the model was trained
  TokenIds target;         // [BOS], the tokens, [EOS] where the tokenizer has one
  std::int64_t bytes = 0;  // of the target's text
};

// Lines of a text, a tab and a target; what stands behind another tab does not count, and empty lines are skipped. Errors, with
// the line: no tab, an empty half, more tokens than the model was trained on; no pairs at all; an output tokenizer without [BOS];
// cancelled.
Result<std::vector<TokenPair>> read_pairs(const Predictor& predictor, std::string_view text, const std::string& where,
                                          const CancelToken& cancel);

// The text and the target of such a line; the target is empty where there is no tab.
std::pair<std::string_view, std::string_view> halves_of(std::string_view line);

// The lines of a text that are not empty, with their numbers from 1.
std::vector<std::pair<std::int64_t, std::string_view>> numbered_lines(std::string_view text);

}  // namespace headlight
