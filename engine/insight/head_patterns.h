// The patterns that heads are known for, and how much of one head's weight lies on each in one text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/attention/patterns/head_map.h"
#include "engine/insight/word_alignment.h"
#include "engine/insight/word_lists.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {

// On a text, row i and the columns that its mask leaves it; a row without the pattern's cell does not count:
//   previous     column i - 1
//   next         column i + 1
//   first        column 0, of rows behind it; of cross-attention: the source's first token
//   same         the other columns with the same word (small letters, without the space before it)
//   induction    the columns behind earlier occurrences of row i's token (Olsson et al. 2022)
//   punctuation  the other columns whose tokens are punctuation
//   adjective    of a noun's last token: the tokens of the adjectives right before it, together (word_lists.h)
//   alignment    of cross-attention: the source token of which the token predicted at row i is the translation
enum class HeadPattern { previous, next, first, same, induction, punctuation, adjective, alignment };
inline constexpr std::array kHeadPatterns = {HeadPattern::previous,  HeadPattern::next,      HeadPattern::first,
                                             HeadPattern::same,      HeadPattern::induction, HeadPattern::punctuation,
                                             HeadPattern::adjective, HeadPattern::alignment};
const char* name_of(HeadPattern pattern);

// By pattern, 0..1; none where a text has no row with the pattern's cell.
using PatternScores = std::array<std::optional<double>, kHeadPatterns.size()>;
inline const std::optional<double>& score_of(const PatternScores& scores, HeadPattern pattern) {
  return scores[static_cast<std::size_t>(pattern)];
}

// What tokens say, as far as patterns go by it.
class TokenWords {
 public:
  // `tokenizer` must live as long as this.
  explicit TokenWords(const tokenizers::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  struct Word {
    std::string text;  // in small letters, without spaces around it; empty of special tokens
    bool punctuation = false;
  };
  const Word& of(std::int32_t id);

 private:
  Word read(std::int32_t id) const;
  const tokenizers::Tokenizer& tokenizer_;
  std::unordered_map<std::int32_t, Word> words_;
};

// What the patterns look for in one text. All of its heads are scored by one of these.
struct PatternText {
  std::vector<std::int32_t> ids;
  std::vector<TokenWords::Word> words;  // one a token
  std::vector<WordLists::Described> nouns;
};
PatternText pattern_text(TokenWords& words, std::vector<std::int32_t> ids, std::vector<WordLists::Described> nouns);

using patterns::HeadMap;

// For each token of the target the place of the source token that it translates; -1: none, or one of the two is special.
std::vector<std::int64_t> translated_by(const WordAlignment& alignment, const PatternText& source, const PatternText& target);

// The mean over rows of each pattern's weight, where rows and columns are the tokens of `text`.
PatternScores self_scores(const HeadMap& map, const PatternText& text);
// Where the columns are the tokens of `source`. translated: for each row the source token that the next target token translates,
// -1 where it is none; empty where that is not known, and alignment has no score.
PatternScores cross_scores(const HeadMap& map, const PatternText& source, std::span<const std::int64_t> translated);

}  // namespace headlight
