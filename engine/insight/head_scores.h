// What every head of a trained model attends to: known patterns, each scored by the mean weight on its cell, over many texts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/insight/head_patterns.h"
#include "engine/pipeline/pairs.h"
#include "engine/pipeline/predict.h"

namespace headlight {

struct HeadScores {
  std::string site;  // "self", or of an encoder-decoder "encoder", "decoder" and "cross"
  std::int64_t layer = 0, head = 0;
  // The mean over texts of the mean over rows; none where no text has the pattern. Induction is measured on random tokens
  // repeated once; alignment goes by IBM Model 1 over the same pairs (word_alignment.h).
  PatternScores scores;
};

// Every head of a model, and what it was measured on.
struct MeasuredHeads {
  std::string corpus;      // the name of the file; empty: none is known
  std::int64_t texts = 0;  // or pairs
  std::vector<HeadScores> heads;
  // Of pairs: what Model 1 learned of them, by which a further pair's alignment is told; links under kLeastLink are left out.
  std::vector<WordAlignment::Link> links;
};
inline constexpr double kLeastLink = 0.1;

// Each line of the text is one of the texts, cut to the model's length; of an encoder-decoder each is a pair. Errors: no line
// with two tokens, read_pairs()'s, cancelled.
Result<MeasuredHeads> score_heads(const Predictor& predictor, std::string_view text, const std::string& where,
                                  const WordLists& words, const CancelToken& cancel,
                                  const std::function<void(std::int64_t done, std::int64_t total)>& progress = {});

}  // namespace headlight
