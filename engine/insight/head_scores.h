// The attention of every head of a trained model over many texts: each known pattern is scored by the mean weight on its cells.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/insight/head_patterns.h"
#include "engine/insight/marked_pairs.h"
#include "engine/pipeline/pairs.h"
#include "engine/pipeline/predict.h"

namespace headlight {

struct HeadScores {
  std::string site;  // "self", or of an encoder-decoder "encoder", "decoder" and "cross"
  std::int64_t layer = 0, head = 0;
  // The mean over texts of the mean over rows; none: no text has the pattern. Induction is measured on random tokens that are
  // repeated once. Alignment is told by IBM Model 1, learned from the same pairs (word_alignment.h). The patterns that need marks
  // are the shares of MarkedCounts.
  PatternScores scores;
  // What each score is by chance: of a head that looks at all tokens alike or, if that is more, of one that goes by distance
  // alone and gives each distance what this head gives it on average. None: unknown.
  PatternScores chance = {};
};

// Every head of a model, and the texts that it was measured on.
struct MeasuredHeads {
  std::string corpus;      // the file's name; empty: unknown
  std::int64_t texts = 0;  // number of texts or pairs
  std::vector<HeadScores> heads;
  // Of pairs: the links that Model 1 learned, by which another pair can be aligned; links below kLeastLink are left out.
  std::vector<WordAlignment::Link> links;
  std::int64_t not_finite = 0;  // heads with a weight that is NaN or infinite
  std::int64_t marked = 0;      // number of texts with marked pairs that were measured
};
inline constexpr double kLeastLink = 0.1;

// Each line of `text` is one text, cut to the model's length; for an encoder-decoder each line is a pair. Errors: no line with
// two tokens, those of read_pairs(), cancelled.
// `marked`: texts with marked pairs for the patterns that need them, of a model that reads one text, or of an encoder-decoder's
// encoder. Texts with a token that the model does not know are left out.
// score_heads(predictor, "the big cat\nthe red dog", "corpus.txt", words, {}): every head's scores over two texts.
Result<MeasuredHeads> score_heads(const Predictor& predictor, std::string_view text, const std::string& where,
                                  const WordLists& words, const CancelToken& cancel,
                                  const std::function<void(std::int64_t done, std::int64_t total)>& progress = {},
                                  std::span<const MarkedText> marked = {});

}  // namespace headlight
