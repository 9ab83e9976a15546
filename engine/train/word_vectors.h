// word2vec: the embedding matrix that a one-hot vector picks a row of, learnt by guessing words from their neighbours (Mikolov et
// al. 2013, "Efficient Estimation of Word Representations in Vector Space"), with negative sampling ("Distributed Representations
// of Words and Phrases", the same year).
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
  bool bag = false;  // CBOW: the mean of the neighbours' vectors guesses the word; otherwise each word its neighbours
  std::int64_t dimensions = 100;
  std::int64_t window = 5;     // neighbours on each side, at most: every place draws 1 .. window
  std::int64_t negatives = 5;  // words that are not there, drawn by their count to the power of 0.75
  std::int64_t epochs = 5;
  double rate = 0.025;  // falls in a straight line to a ten-thousandth of itself
  double subsample =
      1e-3;  // a word of share f of the text is read with probability min(1, sqrt(subsample / f) + subsample / f); 0: always
  std::uint64_t seed = 0;
};

struct WordVectors {
  Tensor embedding;            // f32 [vocabulary, dimensions]; rows of words that do not occur are zero
  Tensor context;              // f32, likewise: the vectors that a guess is compared with
  std::vector<double> losses;  // of each epoch: the mean of loss_of_guess(), in nats
};

// loss = -log s(u_0 . h) - sum over the other k of log s(-u_k . h), s(x) = 1 / (1 + exp(-x)); u_0 [d] is the vector of the word
// that is there, the others of words that are not. Adds the gradients to `dh` [d] and `du`, one row a word. u and du: [words, d].
double loss_of_guess(std::span<const float> h, std::span<const float> u, std::span<float> dh, std::span<float> du);

// The vectors as they are in the middle of a training; the tensors change as soon as the call that is given them returns.
struct WordVectorSnapshot {
  std::int64_t done = 0, total = 0;  // places read of all epochs
  double loss = 0;                   // mean loss_of_guess() since the snapshot before; of the first: NaN
  const Tensor& embedding;
  const Tensor& context;
};

// Trains on token ids 0 .. vocabulary - 1, in the order of the text; -1 is what no vector is learnt for (an unknown word), and no
// neighbour. The same numbers for the same arguments, on one thread. `report` is told how many places of how many are read, and,
// behind each epoch, its loss; `progress` comes before every 256 places, and the training waits until it returns. Errors: invalid
// (fewer than two words to learn, sizes out of range, an id outside), cancelled.
struct WordVectorReport {
  std::function<void(std::int64_t done, std::int64_t total)> progress;
  std::function<void(std::int64_t epoch, double loss)> epoch;
  // Before the first place, `snapshots` - 2 times at even distances, and at the end; 0: never.
  std::function<void(const WordVectorSnapshot&)> snapshot = {};
  std::int64_t snapshots = 0;
};
Result<WordVectors> train_word_vectors(std::span<const std::int32_t> ids, std::int64_t vocabulary,
                                       const WordVectorOptions& options, const WordVectorReport& report,
                                       const CancelToken& cancel);

}  // namespace headlight
