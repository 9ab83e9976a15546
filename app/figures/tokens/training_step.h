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
    std::vector<bool> fresh;          // per symbol: whether this step made it
    std::string count;                // "x 10"
    std::vector<std::string> before;  // its symbols before this step; empty: it is drawn without a motion
  };
  std::vector<Word> words;
  std::string words_title = tr("corpus words, fusing");

  struct Candidate {
    std::string text;    // "h + ug → hug"
    std::string number;  // "15", "0.05"
    double share = 0;    // its score divided by the best one's, 0..1: the length of its bar
    bool chosen = false;
  };
  std::vector<Candidate> candidates;
  std::string candidates_title = tr("candidate pairs before this merge");
  std::string candidates_brief = tr("candidate pairs");  // where the title is wider than the column

  std::vector<std::string> vocabulary;  // pieces after this step; the last is the newest if `newest`
  bool newest = true;
  std::int64_t vocabulary_size = 0;  // with special tokens
  std::string why, compare;          // sentences: why this pair was chosen, and one below it in a lighter colour

  std::vector<double> curve;  // tokens per word after step 0, 1, ...; empty: no curve
  std::int64_t step = 0;
  std::string title;  // the figure's title, for an exported file
  float fusing = 1;  // progress of joining this step's pairs: 0, the two symbols stand apart, highlighted; 1, they are one symbol
};
// The picture is `width` points wide and as high as its contents. If `room`, the available height in points, is given (above 0)
// and too small, the rows stand closer and the curve is lower, down to fixed least sizes.
Figure training_step(const TrainingStepInput& input, float width, const Theme& theme, const TextMeasure& measure, float room = 0);

}  // namespace headlight::figures
