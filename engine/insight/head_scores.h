// What every head of a trained model attends to: known patterns, each scored by the mean weight on its cell, over many texts.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/insight/word_lists.h"
#include "engine/pipeline/pairs.h"
#include "engine/pipeline/predict.h"

namespace headlight {

// On a text, row i and the columns that its mask leaves it; a row without the pattern's cell does not count:
//   previous     column i - 1
//   next         column i + 1
//   first        column 0, of rows behind it; of cross-attention: the source's first token
//   same         the other columns with the same word (small letters, without the space before it)
//   induction    on random tokens repeated once: the column behind the earlier occurrence of row i's token (Olsson et al. 2022)
//   punctuation  the other columns whose tokens are punctuation
//   adjective    of a noun's last token: the tokens of the adjectives right before it, together (word_lists.h)
//   alignment    of cross-attention: the source token of which the token predicted at row i is the translation, by IBM Model 1
//                over the same pairs (word_alignment.h)
enum class HeadPattern { previous, next, first, same, induction, punctuation, adjective, alignment };
inline constexpr std::array kHeadPatterns = {HeadPattern::previous,  HeadPattern::next,      HeadPattern::first,
                                             HeadPattern::same,      HeadPattern::induction, HeadPattern::punctuation,
                                             HeadPattern::adjective, HeadPattern::alignment};
const char* name_of(HeadPattern pattern);

struct HeadScores {
  std::string site;  // "self", or of an encoder-decoder "encoder", "decoder" and "cross"
  std::int64_t layer = 0, head = 0;
  // By pattern, 0..1: the mean over texts of the mean over rows; none where no text has the pattern.
  std::array<std::optional<double>, kHeadPatterns.size()> scores;
};

// Each line of the text is one of the texts, cut to the model's length; of an encoder-decoder each is a pair. Errors: no line
// with two tokens, read_pairs()'s, cancelled.
Result<std::vector<HeadScores>> score_heads(const Predictor& predictor, std::string_view text, const std::string& where,
                                            const WordLists& words, const CancelToken& cancel,
                                            const std::function<void(std::int64_t done, std::int64_t total)>& progress = {});

}  // namespace headlight
