// One sentence about what a head does with the typed sentence, made from the head's weights alone. No window is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/views/heads/pictures.h"
#include "engine/insight/head_patterns.h"
#include "engine/pipeline/trace.h"

namespace headlight::views::heads {

// A word of a sentence: its text, and the range [begin, end) of its tokens.
struct TokenWord {
  std::string label;
  std::int64_t begin = 0, end = 0;
};
// The words of a sentence. A token that follows without a space belongs to the word before it; punctuation, ideographs and
// special tokens stand alone. A word that occurs more than once is numbered, as the picture's labels are.
std::vector<TokenWord> words_of(const Sentence& sentence);

// The words that the rows and columns of a head's weights stand for.
struct SayingText {
  std::vector<TokenWord> rows, columns;
  // True: rows and columns are the same words (self-attention). False: the model reads row i in order to write the row word that
  // begins at token i + 1.
  bool self = true;
  PatternText patterns;  // of the columns
};

// Says where the largest weights lie of the rows that show the role best; for a head without a role, of its most focused rows.
// The weights of a word's tokens are added up. If most rows look most at the first word, or at themselves, the sentence says so,
// and how many rows do. Heads that find nothing rest on the first word; a head with another role is described without it, and the
// sentence then says so. `map` has a row and a column for each token. `rows` is the largest number of rows named. Empty: no row
// has a choice.
// plain(head_saying(map, text, HeadPattern::adjective)) is "creature looks at fluffy and blue, forest at verdant."
Saying head_saying(const HeadMap& map, const SayingText& text, std::optional<HeadPattern> role, int rows = 2);

}  // namespace headlight::views::heads
