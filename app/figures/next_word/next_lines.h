// The best candidates for the next word in a line, below a picture of what changes them.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct NextLinesInput {
  struct Word {
    std::string word;
    double share = 0;  // 0..1
  };
  struct Row {
    std::string name, brief;  // "next word behind ·the", and where that is too long "next word"
    std::vector<Word> words;  // best first; empty: still being computed
    std::string instead;      // stands in place of the words
  };
  std::vector<Row> rows;
};

inline constexpr float kNextLine = 30;  // the height of a row

// `width` points wide; as many words as have room. data: "next_word", the shares [row, place].
// next_lines(input, 900, theme, measure) shows up to six words a row.
Figure next_lines(const NextLinesInput& input, float width, const Theme& theme, const TextMeasure& measure);
// The rows below each other in a narrow column, each with its name and as many words as its share of `height` has room for.
// next_list(input, 240, 190, theme, measure) shows up to three words of each of two rows.
Figure next_list(const NextLinesInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
