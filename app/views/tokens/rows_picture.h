// Token rows: one sentence split by several tokenizers, aligned by character. A ruler of the characters (grapheme clusters) is on
// top. Each token's chip covers the token's characters and shows the id below; measurements are on the right. Ribbons follow the
// same characters from row to row: a dark needle is a cut that only one of two neighbours makes. Below the rows stand the stages
// before the model.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct TokenRow {
  struct Piece {
    std::string text, id;             // display text; id or "[UNK]"
    std::int64_t start = 0, end = 0;  // bytes of the sentence
    bool unknown = false;
    bool added = false;  // a special or added token that the sentence names
  };
  std::string name;                  // "BPE"
  std::string kind;                  // "BPE · 50,257": stands below the name
  std::vector<Piece> pieces;         // in order of start
  std::vector<std::string> numbers;  // one per column of the table on the right
  std::string verdict;               // stands below the numbers: "no unknowns", "unknown 1 (verdant)"
  bool verdict_good = true;
  bool current = false;  // this is the document's tokenizer
  std::string note;      // the tooltip of the name and the numbers; may be empty
};

struct TokenRowsInput {
  struct Character {
    std::string text;                 // display text
    std::int64_t start = 0, end = 0;  // bytes
    int word = -1;                    // gives the hue of the tokens that begin here; -1: tokens have hues of their own
  };
  // The text after a stage before the model.
  struct Stage {
    struct Cell {
      std::string text;
      std::int64_t start = 0, end = 0;  // bytes of the sentence
      bool changed = false;
    };
    std::string name, caption;  // "normalise", "A → a"
    std::string count;          // "42 characters"
    std::string of;             // the tokenizer; empty below another stage of the same one
    std::vector<Cell> cells;
    std::vector<std::pair<std::int64_t, std::int64_t>> parts;  // the words of a splitter
    std::vector<std::pair<std::int64_t, std::int64_t>> lost;   // thrown away: hatched
  };
  std::vector<Character> characters;
  std::vector<TokenRow> rows;
  std::vector<Stage> stages;
  std::vector<std::string> columns;  // headings of TokenRow::numbers
  std::string note;
  bool plain = false;     // special tokens are read as plain text, which the legend says
  bool by_bytes = false;  // a character is as wide as its bytes are many
};
// A highlighted range of bytes; start -1: none.
struct TokenLight {
  std::int64_t start = -1, end = -1;
};

// The position of each character, in points from the body's left end. A character is wider than the others if a token on this
// character could not show its piece otherwise, or if tokens split the character.
struct CharacterPlaces {
  std::vector<float> left;  // characters + 1
  float plain = 0;          // the width of a character that needs no extra room
  float width() const { return left.empty() ? 0 : left.back(); }
};
// place_characters(input, 640, measure).left has one number more than input.characters, and begins with 0.
CharacterPlaces place_characters(const TokenRowsInput& input, float room, const TextMeasure& measure);

// The parts of the picture: names, body, table. In the window the body scrolls between the names and the table; in a file all
// three stand side by side.
inline constexpr float kNamesWidth = 140;
// The distance between rows in points, of which the ribbons take what is above the chips; a low window has the smallest distance.
inline constexpr float kTokenPitch = 64, kTokenPitchLow = 46, kTokenPitchMost = 74;
// token_rows_height(input) is the height of each part, in points; token_rows_height(input, kTokenPitchLow) in a low window.
float token_rows_height(const TokenRowsInput& input, float pitch = kTokenPitch);
float token_stages_height(const TokenRowsInput& input);  // the part of it below the rows
float token_table_width(const TokenRowsInput& input);
// The names. Tags of names and numbers: kind row, a = row. token_names(input, theme, measure) is kNamesWidth points wide.
Figure token_names(const TokenRowsInput& input, const Theme& theme, const TextMeasure& measure, float pitch = kTokenPitch);
// The ruler and the chips, but only those between x = `from` and x = `to`. Tags: kind token, a = row (-1: the ruler), b = piece
// or character. token_body(input, places, {}, 0, places.width(), theme, measure) draws all of them.
Figure token_body(const TokenRowsInput& input, const CharacterPlaces& places, TokenLight light, float from, float to,
                  const Theme& theme, const TextMeasure& measure, float pitch = kTokenPitch);
// The measurements: token_table(input, theme, measure) is token_table_width(input) points wide.
Figure token_table(const TokenRowsInput& input, const Theme& theme, const TextMeasure& measure, float pitch = kTokenPitch);
// What the square chips with a double edge are, or that there are none because special tokens are read as text. Without any of
// this the figure is 0 high. token_legend(input, 640, theme, measure) is 640 points wide.
Figure token_legend(const TokenRowsInput& input, float width, const Theme& theme, const TextMeasure& measure);
// All three parts side by side and the legend below, at least `width` points wide: token_rows(input, 900, theme, measure).
Figure token_rows(const TokenRowsInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
