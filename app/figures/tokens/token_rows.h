// Token rows: one sentence cut by several tokenizers, aligned by character: a ruler of the characters (grapheme clusters) on
// top, each token's chip across the characters that it covers, ids below, and what was measured on the right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct TokenRow {
  struct Piece {
    std::string text, id;             // display text; id or "[UNK]"
    std::int64_t start = 0, end = 0;  // bytes of the sentence
    bool unknown = false;
  };
  std::string name;                  // "BPE"
  std::string count;                 // "14 tokens"
  std::vector<Piece> pieces;         // in order of start
  std::vector<std::string> numbers;  // one a column of the table on the right
  std::string verdict;               // below them: "no unknowns", "unknown 1 (verdant)"
  bool verdict_good = true;
  bool current = false;  // the document's own tokenizer
};

struct TokenRowsInput {
  struct Character {
    std::string text;                 // display text
    std::int64_t start = 0, end = 0;  // bytes
  };
  std::vector<Character> characters;
  std::vector<TokenRow> rows;
  std::vector<std::string> columns;  // headings of TokenRow::numbers
  std::string note;
};
// A lit byte range; start -1: none.
struct TokenLight {
  std::int64_t start = -1, end = -1;
};

// Where each character stands, in points from the left end of the body. A character is wider than others where a token on it
// could not show its piece otherwise, or where tokens cut it.
struct CharacterPlaces {
  std::vector<float> left;  // characters + 1
  float plain = 0;          // the width of a character that needs no more than the others
  float width() const { return left.empty() ? 0 : left.back(); }
};
CharacterPlaces place_characters(const TokenRowsInput& input, float room, const TextMeasure& measure);

// The pieces of the picture. In the window the body scrolls between the other two; a file has them side by side.
inline constexpr float kNamesWidth = 140;
// From one row to the next: a low window has them closer together.
inline constexpr float kTokenPitch = 64, kTokenPitchLow = 46;
float token_rows_height(const TokenRowsInput& input, float pitch = kTokenPitch);
float token_table_width(const TokenRowsInput& input);
Figure token_names(const TokenRowsInput& input, const Theme& theme, const TextMeasure& measure, float pitch = kTokenPitch);
// Only what lies between from and to (points) is made. Tags: kind token, a = row (-1: the ruler), b = piece or character.
Figure token_body(const TokenRowsInput& input, const CharacterPlaces& places, TokenLight light, float from, float to,
                  const Theme& theme, const TextMeasure& measure, float pitch = kTokenPitch);
Figure token_table(const TokenRowsInput& input, const Theme& theme, const TextMeasure& measure, float pitch = kTokenPitch);
Figure token_rows(const TokenRowsInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
