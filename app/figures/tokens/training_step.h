// The picture of one step of a tokenizer's training: the words of the corpus with their symbols, the candidate pairs, the
// vocabulary, why this pair was chosen, and a curve of tokens per word over the whole training.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/text/language.h"

namespace headlight::figures {

struct TrainingStepInput {
  struct Word {
    std::vector<std::string> symbols;
    std::vector<bool> fresh;          // per symbol: whether this step made the symbol
    std::string count;                // "x 10"
    std::vector<std::string> before;  // the word's symbols before this step; empty: the word is drawn without a motion
  };
  std::vector<Word> words;
  std::string words_title = tr("corpus words, fusing");

  struct Candidate {
    std::string text;    // "h + ug → hug"
    std::string number;  // "15", "0.05"
    double share = 0;    // the pair's score divided by the best score, 0..1: the length of the bar
    bool chosen = false;
  };
  std::vector<Candidate> candidates;
  std::string candidates_title = tr("candidate pairs before this merge");
  std::string candidates_brief = tr("candidate pairs");  // replaces a title that is wider than the column

  std::vector<std::string> vocabulary;  // pieces after this step; the last is the newest if `newest`
  bool newest = true;
  std::int64_t vocabulary_size = 0;  // includes special tokens
  std::string why, compare;          // a sentence on why this pair was chosen, and a second one below in a lighter colour

  std::vector<double> curve;  // tokens per word after step 0, 1, ...; empty: no curve
  std::int64_t step = 0;
  std::string title;  // the figure's title, for an exported file
  float fusing = 1;  // progress of joining this step's pairs. 0: the two symbols stand apart, highlighted; 1: they are one symbol
};
// The picture is `width` points wide and as high as its contents. If `room`, the available height in points, is given (above 0)
// and too small, the rows stand closer and the curve is lower, down to fixed least sizes.
// training_step(input, 900, theme, measure, 480) makes the rows fit into 480 points if possible.
Figure training_step(const TrainingStepInput& input, float width, const Theme& theme, const TextMeasure& measure, float room = 0);

}  // namespace headlight::figures
