// Sentences in which pairs of words are marked: a noun and its determiner, a verb and its subject. They show what a head does
// that no list of words and no distance tells.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"
#include "engine/insight/head_patterns.h"
#include "engine/text/span.h"
#include "engine/tokenizers/models/token.h"

namespace headlight {

struct MarkedPair {
  HeadPattern pattern = HeadPattern::determiner;
  text::Span later, earlier;  // bytes of the text: the noun, and its determiner before it
};
struct MarkedText {
  std::string text;
  std::vector<MarkedPair> pairs;
};

// Lines "text<TAB>determiner: dog>the; subject: barks>dog, sleeps>it": for each pattern the later and the earlier word of each
// pair, written as they stand in the text; a word's second occurrence is "the#2". A word is a run of letters, marks, digits and
// apostrophes, or one other character. '#' at a line's beginning makes a comment. Errors, with the line: no tab, a pattern that
// needs no marks, a word that the text lacks, a pair whose words stand the other way round, no line at all.
// read_marked_texts("A dog barks.\tdeterminer: dog>A", "here"): one text with one pair.
Result<std::vector<MarkedText>> read_marked_texts(std::string_view text, const std::string& where);
// The bundled English ones.
Result<std::vector<MarkedText>> open_marked_texts();

// A marked text as one tokenizer cuts it.
struct MarkedWords {
  struct Range {
    std::int64_t begin = 0, end = 0;  // tokens; a token of two words, such as a stop with a quotation mark, is of both
  };
  std::vector<Range> words;  // all words of the text that have a token
  std::vector<bool> signs;   // by word: it is punctuation
  struct Pair {
    HeadPattern pattern = HeadPattern::determiner;
    std::size_t later = 0, earlier = 0;  // indices into `words`
  };
  std::vector<Pair> pairs;  // those whose two words have tokens, and none in common
};
// `before`: the number of tokens that the model's sequence has before the text's own.
// marked_words(text, tokens, 1).words[0].begin is 1.
MarkedWords marked_words(const MarkedText& text, std::span<const tokenizers::Token> tokens, std::int64_t before);

// How often one head gives the marked word the most weight of all words of the text that it may see. The first token of the
// sequence does not count, since heads that find nothing rest there, and nor does the row's own word. A word looks from its last
// token, and has the weight of all of its tokens.
class MarkedCounts {
 public:
  void add(const HeadMap& map, const MarkedWords& text);
  // The share of the pairs, and what it is by chance: of a head that looks at any word alike, or always at the same distance in
  // words, or at the nearest punctuation, whichever is more. In both directions, where the mask allows them, and the better one
  // counts. Patterns with fewer than kLeastPairs pairs are left as they are.
  void tell(PatternScores& scores, PatternScores& chance) const;

 private:
  struct Count {
    std::int64_t pairs = 0, hits = 0;
    double uniform = 0;                          // sum over the pairs of 1 / words to choose from
    std::int64_t signs = 0;                      // the number of pairs whose word to find is the nearest punctuation
    std::map<std::int64_t, std::int64_t> apart;  // the number of pairs whose words stand so many words apart
  };
  void look(Count& count, const HeadMap& map, const MarkedWords& text, std::size_t from, std::size_t to);
  std::array<std::array<Count, 2>, kHeadPatterns.size()> counts_;  // from the later word, from the earlier one
};
inline constexpr std::int64_t kLeastPairs = 20;

}  // namespace headlight
