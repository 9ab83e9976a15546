// The training of the library tokenizers (its BpeTrainer, which its WordPiece uses too), merge for merge. It differs from ours in
// what it does with equally frequent pairs, and with a piece that two different pairs make.
#pragma once

#include "engine/tokenizers/training/pair_trainer.h"

namespace headlight::tokenizers {

// Adds pieces to `vocabulary` until it has options.vocabulary_size of them or no pair is left that is frequent enough. `prefix`
// is what a piece inside a word begins with. Error: cancelled. train_as_library(words, "", {.vocabulary_size = 300}, vocabulary,
// cancel) gives the merges of a BPE.
Result<PairTraining> train_as_library(const std::vector<SegmentedWord>& words, const std::string& prefix,
                                      const TrainingOptions& options, Vocabulary& vocabulary, const CancelToken& cancel);

}  // namespace headlight::tokenizers
