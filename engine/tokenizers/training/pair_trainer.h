// The training that BPE and WordPiece share. It begins with an alphabet and again and again joins the best pair of neighbouring
// pieces in the corpus into a new piece. BPE takes the most frequent pair, WordPiece the pair with the highest
// count(ab) / (count(a) count(b)). Pieces are counted in the corpus as it is cut at that moment. Of equally good pairs the first
// in the corpus is taken.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/tokenizers/models/vocabulary.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::tokenizers {

// A word of the corpus cut into pieces of the alphabet, as ids of the vocabulary. A character outside the alphabet is -1, and is
// part of no pair.
struct SegmentedWord {
  std::vector<std::int32_t> pieces;
  std::int64_t count = 0;
};

enum class PairRule {
  frequency,   // BPE; joining "a" and "b" gives "ab"
  likelihood,  // WordPiece; joining "a" and "##b" gives "ab"
};

struct PairTraining {
  std::vector<std::pair<std::int32_t, std::int32_t>> merges;
  std::vector<TrainingStep> steps;  // empty unless recorded
  bool ran_out_of_pairs = false;
};

// Adds pieces to `vocabulary` until it has options.vocabulary_size of them or no pair is left. Error: cancelled.
// train_pairs(words, PairRule::frequency, {.vocabulary_size = 300}, vocabulary, cancel) gives the merges of a BPE.
Result<PairTraining> train_pairs(const std::vector<SegmentedWord>& words, PairRule rule, const TrainingOptions& options,
                                 Vocabulary& vocabulary, const CancelToken& cancel);

}  // namespace headlight::tokenizers
