// Lists of adjectives and nouns, and the places where a text has an adjective right before its noun. They score heads that attend
// from nouns to their adjectives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/core/status.h"
#include "engine/tokenizers/models/token.h"

namespace headlight {

class WordLists {
 public:
  // Lines "adjective: WORD WORD ..." and "noun: WORD ...", in any number. A line that begins with spaces continues the line
  // before, '#' begins a comment, and capital letters do not count. assets/words/english.txt is an example. Errors, with the
  // line: another beginning, an entry that is no word, a word in both lists; a list without words.
  // read("adjective: big red\nnoun: cat dog", "words.txt"): two adjectives and two nouns.
  static Result<WordLists> read(std::string_view text, const std::string& where);
  // Reads the file `path`; an empty path means the bundled English lists. Errors: the file's and those of read().
  static Result<WordLists> open(const std::filesystem::path& path);

  // A noun and the adjectives right before it: indices of tokens of a text.
  struct Described {
    std::int64_t noun = 0;                 // the noun's last token
    std::vector<std::int64_t> adjectives;  // all tokens of the adjectives, ascending
  };
  // A noun is described by the longest run of adjectives that ends before it, with nothing but spaces between, or commas between
  // two adjectives. `tokens` are those of the text; text beyond the last token does not count.
  // described_nouns("Big, red cat", tokens) with one token for each word and sign: noun 3, adjectives 0 and 2.
  std::vector<Described> described_nouns(std::string_view text, std::span<const tokenizers::Token> tokens) const;

 private:
  std::unordered_set<std::string> adjectives_, nouns_;  // in small letters
};

}  // namespace headlight
