// One sentence that says what a head does with the sentence that is typed, made from its weights alone. It needs no window.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/insight/head_patterns.h"
#include "engine/pipeline/trace.h"

namespace headlight::panels {

// A word of a sentence: its text and its tokens, [begin, end).
struct TokenWord {
  std::string label;
  std::int64_t begin = 0, end = 0;
};
// Tokens that continue a word without a space between belong to it; punctuation, ideographs and special tokens stand alone. Words
// that occur more than once are numbered, as the picture's labels are.
std::vector<TokenWord> words_of(const Sentence& sentence);

// A sentence in the order it is read; a marked part is one of the typed sentence's words.
struct SayingPart {
  std::string text;
  bool marked = false;
};
using Saying = std::vector<SayingPart>;
std::string plain(const Saying& saying);

// What the rows and columns of a head's weights are.
struct SayingText {
  std::vector<TokenWord> rows, columns;
  // Rows and columns are the same words (self-attention). Otherwise row i is read to write the row word that begins at i + 1.
  bool self = true;
  PatternText patterns;  // of the columns
};

// What the rows that show the role best, or of a head without one look hardest, have their largest weights on: "creature looks
// at fluffy and blue, forest at verdant." The weights of a word's tokens are added up. Where most rows look most at the first
// word, or at themselves, it says so, and how many. The first word, on which heads rest that find nothing, is passed over where
// the role is another one, and then the sentence says that it is. `map` has a row and a column for each token.
// `rows`: how many are named at most. Empty: no row has a choice.
Saying head_saying(const HeadMap& map, const SayingText& text, std::optional<HeadPattern> role, int rows = 2);

}  // namespace headlight::panels
