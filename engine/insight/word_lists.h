// Lists of adjectives and nouns, and where a text has an adjective right before its noun: what a head that goes from nouns to
// their adjectives is scored by.
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
  // Lines "adjective: WORD WORD ..." and "noun: WORD ...", in any number; lines that begin with spaces continue the one before,
  // '#' begins a comment, and capital letters do not count. assets/words/english.txt is one. Errors, with the line: another
  // beginning, something that is no word, a word in both lists; a list without words.
  static Result<WordLists> read(std::string_view text, const std::string& where);
  // The file `path`; of an empty path the bundled English lists. Errors: the file's and read()'s.
  static Result<WordLists> open(const std::filesystem::path& path);

  // A noun and the adjectives right before it: indices of tokens of a text.
  struct Described {
    std::int64_t noun = 0;                 // the noun's last token
    std::vector<std::int64_t> adjectives;  // every token of theirs, ascending
  };
  // A noun is described by the longest run of adjectives that ends before it, with nothing but spaces between, or commas between
  // two adjectives. `tokens` are those of the text; what it has beyond them does not count.
  std::vector<Described> described_nouns(std::string_view text, std::span<const tokenizers::Token> tokens) const;

 private:
  std::unordered_set<std::string> adjectives_, nouns_;  // in small letters
};

}  // namespace headlight
