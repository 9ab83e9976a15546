// One step of a tokenizer's training: the corpus words as they fuse, the candidate pairs, the vocabulary, why this pair, and
// tokens per word over the whole training.
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
    std::vector<bool> fresh;          // made by this step
    std::string count;                // "x 10"
    std::vector<std::string> before;  // its symbols before this step; empty: the same
  };
  std::vector<Word> words;
  std::string words_title = tr("corpus words, fusing");

  struct Candidate {
    std::string text;    // "h + ug → hug"
    std::string number;  // "15", "0.05"
    double share = 0;    // of the best one, 0..1
    bool chosen = false;
  };
  std::vector<Candidate> candidates;
  std::string candidates_title = tr("candidate pairs before this merge");
  std::string candidates_brief = tr("candidate pairs");  // where the title is wider than the column

  std::vector<std::string> vocabulary;  // pieces after this step; the last is the newest if `newest`
  bool newest = true;
  std::int64_t vocabulary_size = 0;  // with special tokens
  std::string why, compare;          // sentences

  std::vector<double> curve;  // tokens per word after step 0, 1, ...; empty: no curve
  std::int64_t step = 0;
  std::string title;  // for a file
  float fusing = 1;   // 0: the pairs that this step joins still stand apart, lit; 1: they are one
};
// `width` wide, as high as it needs; with `room`, the height that there is, its rows stand closer and the curve is lower where
// that makes it fit.
Figure training_step(const TrainingStepInput& input, float width, const Theme& theme, const TextMeasure& measure, float room = 0);

}  // namespace headlight::figures
