// word2vec: an embedding matrix, of which a one-hot vector selects a row. It is learnt by guessing words from their neighbours
// (Mikolov et al. 2013, "Efficient Estimation of Word Representations in Vector Space"), with negative sampling ("Distributed
// Representations of Words and Phrases", the same year).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight {

struct WordVectorOptions {
  // true: CBOW, the mean of the neighbours' vectors guesses the word; false: skip-gram, each word guesses its neighbours
  bool bag = false;
  std::int64_t dimensions = 100;
  std::int64_t window = 5;     // the most neighbours on each side: every place draws 1 .. window
  std::int64_t negatives = 5;  // words that are no neighbours, drawn by their count to the power of 0.75
  std::int64_t epochs = 5;
  double rate = 0.025;  // falls in a straight line to a ten-thousandth of its value
  // A word of share f of the text is read with probability min(1, sqrt(subsample / f) + subsample / f); 0: always.
  double subsample = 1e-3;
  std::uint64_t seed = 0;
};

struct WordVectors {
  Tensor embedding;            // f32 [vocabulary, dimensions]; rows of words that do not occur are zero
  Tensor context;              // f32, the same shape: the vectors that a guess is compared with
  std::vector<double> losses;  // of each epoch: the mean of loss_of_guess(), in nats
};

// loss = -log s(u_0 . h) - sum over the other k of log s(-u_k . h), s(x) = 1 / (1 + exp(-x)). u_0 [d] is the vector of the right
// word, and the others are vectors of drawn words. Adds the gradients to `dh` [d] and `du`, one row for each word. u and du:
// [words, d].
// loss_of_guess({0}, {0, 0}, dh, du) gives 2 ln 2: one right and one drawn word, each guessed with probability 1/2.
double loss_of_guess(std::span<const float> h, std::span<const float> u, std::span<float> dh, std::span<float> du);

// The vectors in the middle of a training. The tensors change as soon as the call that received them returns.
struct WordVectorSnapshot {
  std::int64_t done = 0, total = 0;  // places read, and places of all epochs
  double loss = 0;                   // mean loss_of_guess() since the snapshot before; NaN in the first
  const Tensor& embedding;
  const Tensor& context;
};

// What a training calls while it runs.
struct WordVectorReport {
  // Before every 256 places, with the number of places read and of all places; the training waits until it returns.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
  // Behind each epoch, with its loss.
  std::function<void(std::int64_t epoch, double loss)> epoch;
  // Called before the first place, `snapshots` - 2 times at even distances, and at the end. `snapshots` of 0: never.
  std::function<void(const WordVectorSnapshot&)> snapshot = {};
  std::int64_t snapshots = 0;
};

// Trains on token ids 0 .. vocabulary - 1, in the order of the text. The id -1 (an unknown word) has no vector and is no
// neighbour. The same arguments give the same numbers, on one thread. Errors: invalid (fewer than two words to learn, sizes out
// of range, an id outside), cancelled.
// train_word_vectors(ids, 9, {.dimensions = 16}, {}, {}): an embedding of [9, 16].
Result<WordVectors> train_word_vectors(std::span<const std::int32_t> ids, std::int64_t vocabulary,
                                       const WordVectorOptions& options, const WordVectorReport& report,
                                       const CancelToken& cancel);

}  // namespace headlight
