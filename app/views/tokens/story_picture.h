// One token written out: what it is, how the model came to it, and what the other tokenizers make of the same characters.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/views/tokens/word_picture.h"

namespace headlight::figures {

struct TokenStory {
  struct Fact {
    std::string name, value, more;  // "rank", "48,687", "of 50,000 joins"
  };
  struct Elsewhere {
    std::string name, count, pieces;
  };
  std::string piece, where;  // "·unbelievably"; "GPT-2 · token 2 of 14"
  std::vector<Fact> facts;
  std::string bytes;          // "20 75 6e"
  double place = -1;          // its id, as a share of the vocabulary; below 0: not drawn
  std::string place_end;      // the largest id
  std::string how, how_note;  // the heading and the words of what follows; empty: nothing follows
  JoinsInput joins;           // at most one of the three has letters
  TriesInput tries;
  LatticeInput lattice;
  std::vector<Elsewhere> elsewhere;
};
// `width` points wide, as high as it needs. token_story(input, 300, theme, measure) is for a column beside the rows.
Figure token_story(const TokenStory& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
