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

// Lines of a text, a tab and a target. Anything behind a second tab is ignored, and empty lines are skipped. Errors, with the
// line: no tab, an empty half, more tokens than the model was trained on; no pairs at all; an output tokenizer without [BOS];
// cancelled.
// read_pairs(predictor, "the cat\tle chat\n", "pairs.tsv", cancel): one pair.
Result<std::vector<TokenPair>> read_pairs(const Predictor& predictor, std::string_view text, const std::string& where,
                                          const CancelToken& cancel);

// The text and the target of such a line; the target is empty where there is no tab. halves_of("a\tb\tc") gives "a" and "b".
std::pair<std::string_view, std::string_view> halves_of(std::string_view line);

// The lines of a text that are not empty, with their numbers from 1. numbered_lines("a\n\nb") gives (1, "a") and (3, "b").
std::vector<std::pair<std::int64_t, std::string_view>> numbered_lines(std::string_view text);

}  // namespace headlight
