// The patterns that heads are known for, and the share of one head's weight that lies on each pattern in one text.
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

// In a text, each pattern has cells in row i among the columns that the mask allows. A row without a cell of the pattern does not
// count:
//   previous              column i - 1
//   next                  column i + 1
//   first                 column 0, of rows behind it; of cross-attention: the source's first token
//   sentence              the first token of the row's sentence, of rows behind it, from the text's second sentence on
//   same                  the other columns with the same word (small letters, without the space before it)
//   induction             the columns behind earlier occurrences of row i's token (Olsson et al. 2022)
//   punctuation           the other columns whose tokens are punctuation
//   previous_punctuation  of these the last one before the row
//   pieces                the other tokens of the row's word, where the tokenizer cut it
//   adjective             of a noun's last token: the tokens of the adjectives right before it, together (word_lists.h)
//   alignment             of cross-attention: the source token of which the token predicted at row i is the translation
// The others are read from sentences with marked pairs of words (marked_pairs.h):
//   determiner, subject, object, pronoun, pair
//                         from a noun to its determiner, a verb to its subject, an object to its verb, a pronoun to its noun, a
//                         closing quotation mark or bracket to the opening one; where the model reads both ways, also back
enum class HeadPattern {
  previous,
  next,
  first,
  sentence,
  same,
  induction,
  punctuation,
  previous_punctuation,
  pieces,
  adjective,
  determiner,
  subject,
  object,
  pronoun,
  pair,
  alignment
};
inline constexpr std::array kHeadPatterns = {
    HeadPattern::previous, HeadPattern::next,      HeadPattern::first,       HeadPattern::sentence,
    HeadPattern::same,     HeadPattern::induction, HeadPattern::punctuation, HeadPattern::previous_punctuation,
    HeadPattern::pieces,   HeadPattern::adjective, HeadPattern::determiner,  HeadPattern::subject,
    HeadPattern::object,   HeadPattern::pronoun,   HeadPattern::pair,        HeadPattern::alignment};
// Whether only marked sentences show the pattern: no other text says which word is a verb's subject.
constexpr bool needs_marks(HeadPattern pattern) { return pattern >= HeadPattern::determiner && pattern <= HeadPattern::pair; }
// Whether the pattern is a distance alone, so that no distance can explain it away.
constexpr bool is_distance(HeadPattern pattern) { return pattern <= HeadPattern::first; }
const char* name_of(HeadPattern pattern);

// By pattern, 0..1; none: a text has no row with a cell of the pattern.
using PatternScores = std::array<std::optional<double>, kHeadPatterns.size()>;
// score_of(scores, HeadPattern::previous): the mean weight on the token before.
inline const std::optional<double>& score_of(const PatternScores& scores, HeadPattern pattern) {
  return scores[static_cast<std::size_t>(pattern)];
}

// The words that tokens stand for, as far as patterns need them.
class TokenWords {
 public:
  // `tokenizer` must outlive this object.
  explicit TokenWords(const tokenizers::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  struct Word {
    std::string text;  // in small letters, without spaces around it; empty for special tokens
    bool punctuation = false;
  };
  const Word& of(std::int32_t id);

 private:
  Word read(std::int32_t id) const;
  const tokenizers::Tokenizer& tokenizer_;
  std::unordered_map<std::int32_t, Word> words_;
};

// One text as the patterns read it. All heads are scored by the same PatternText.
struct PatternText {
  std::vector<std::int32_t> ids;
  std::vector<TokenWords::Word> words;  // one a token
  std::vector<WordLists::Described> nouns;
  std::vector<bool> joins;  // by token: it continues the word before (word_joins.h); empty: unknown
};
// pattern_text(words, {5, 6, 7}, {}): three tokens with their words, and no described noun.
PatternText pattern_text(TokenWords& words, std::vector<std::int32_t> ids, std::vector<WordLists::Described> nouns,
                         std::vector<bool> joins = {});

using patterns::HeadMap;

// The columns that a pattern is about in one row, of those that the mask allows; never none.
struct PatternRow {
  HeadPattern pattern = HeadPattern::previous;
  std::int64_t row = 0;
  std::vector<std::int64_t> columns;
};
// All rows of self-attention, where rows and columns are the tokens of `text`; of `map` only the mask is read.
std::vector<PatternRow> pattern_rows(const HeadMap& map, const PatternText& text);
// The same of cross-attention, whose columns are the tokens of `source`. `translated`: for each row the source token that the
// next target token translates; -1: none.
std::vector<PatternRow> cross_rows(const HeadMap& map, const PatternText& source, std::span<const std::int64_t> translated);
// The mean over a pattern's rows of the weight on their columns.
PatternScores scores_of(const HeadMap& map, std::span<const PatternRow> rows);

// For each token of the target the index of the source token that it translates; -1: none, or one of the two is special.
// translated_by(alignment, source, target) for "le chat" after "the cat" may give {0, 1}.
std::vector<std::int64_t> translated_by(const WordAlignment& alignment, const PatternText& source, const PatternText& target);

// The mean weight on each pattern over the rows, where rows and columns are the tokens of `text`. A head that looks only at the
// token before has a score of 1 for `previous` in self_scores(map, text).
PatternScores self_scores(const HeadMap& map, const PatternText& text);
// The same where the columns are the tokens of `source`. `translated`: for each row the source token that the next target token
// translates; -1: none. An empty `translated` means that no translation is known, and `alignment` has no score.
// cross_scores(map, source, {}): the scores of `first` and `punctuation` only.
PatternScores cross_scores(const HeadMap& map, const PatternText& source, std::span<const std::int64_t> translated);

}  // namespace headlight
