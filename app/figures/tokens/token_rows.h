// Token rows: one sentence split by several tokenizers, aligned by character. A ruler of the characters (grapheme clusters) is on
// top; each token's chip covers its characters, with its id below; measurements are on the right.
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
  std::vector<std::string> numbers;  // one per column of the table on the right
  std::string verdict;               // below the numbers: "no unknowns", "unknown 1 (verdant)"
  bool verdict_good = true;
  bool current = false;  // the tokenizer of the document
  std::string note;      // what pointing at its name or its numbers says; may be empty
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
// A highlighted byte range; start -1: none.
struct TokenLight {
  std::int64_t start = -1, end = -1;
};

// The position of each character, in points from the body's left end. A character is wider than others if a token on it could not
// show its piece otherwise, or if tokens split it.
struct CharacterPlaces {
  std::vector<float> left;  // characters + 1
  float plain = 0;          // the width of a character that needs no extra room
  float width() const { return left.empty() ? 0 : left.back(); }
};
CharacterPlaces place_characters(const TokenRowsInput& input, float room, const TextMeasure& measure);

// The parts of the picture. In the window the body scrolls between the other two; in a file they are side by side.
inline constexpr float kNamesWidth = 140;
// The distance between rows; a low window has the smaller one.
inline constexpr float kTokenPitch = 64, kTokenPitchLow = 46;
float token_rows_height(const TokenRowsInput& input, float pitch = kTokenPitch);
float token_table_width(const TokenRowsInput& input);
// Tags of names and numbers: kind row, a = row.
Figure token_names(const TokenRowsInput& input, const Theme& theme, const TextMeasure& measure, float pitch = kTokenPitch);
// Makes only what is between from and to (points). Tags: kind token, a = row (-1: the ruler), b = piece or character.
Figure token_body(const TokenRowsInput& input, const CharacterPlaces& places, TokenLight light, float from, float to,
                  const Theme& theme, const TextMeasure& measure, float pitch = kTokenPitch);
Figure token_table(const TokenRowsInput& input, const Theme& theme, const TextMeasure& measure, float pitch = kTokenPitch);
Figure token_rows(const TokenRowsInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
