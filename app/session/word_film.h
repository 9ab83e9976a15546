// WordFilm: trains word vectors in the background and stores them at even distances, so that the window can show how words move
// during learning. Edits come first: the training waits while an edit is computed. It is the Embeddings view's job.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/session/job.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/insight/embedding_space.h"

namespace headlight {

inline constexpr std::int64_t kWordCheckpoints = 41;  // stored from one training, its beginning and end included

struct WordFilmSettings {
  bool bag = false;  // true: CBOW; false: skip-gram
  std::int64_t dimensions = 32, epochs = 10;
  std::string path;  // a text file; empty: the sentences that the model "course" was trained on
  bool operator==(const WordFilmSettings&) const = default;
};

struct WordCheckpoint {
  std::int64_t done = 0, total = 0;  // places of the text that were read, over all epochs
  double loss = 0;                   // nats a guess, mean since the previous checkpoint; NaN for the first
  std::shared_ptr<const EmbeddingSpace> space;
  Tensor context;  // f32 [vocabulary, dimensions]
};

struct WordFilmState {
  std::uint64_t training = 0;  // differs for every start
  WordFilmSettings settings;
  std::int64_t words = 0, places = 0;  // the vocabulary's size; places of the text in one epoch
  std::int64_t done = 0, total = 0;    // places read, over all epochs
  bool preparing = false, playing = false, finished = false;
  std::vector<std::shared_ptr<const WordCheckpoint>> checkpoints;  // the first one is from before the training
  std::shared_ptr<const Error> error;                              // why the training cannot begin or go on
  bool untrained() const { return done == 0 && !playing; }
  std::uint64_t bytes() const;
};

// A whole training at once. Errors: the text's, train_word_vectors()'s; cancelled.
// train_word_film({false, 32, 10, ""}, cancel) trains 32 dimensions by skip-gram, ten epochs over the course's sentences.
Result<WordFilmState> train_word_film(const WordFilmSettings& settings, const CancelToken& cancel);

struct WordFilmSaved {
  std::uint64_t number = 0;  // the number of saves asked for so far
  std::filesystem::path folder;
  std::shared_ptr<const Error> error;
};

class WordFilm final : public Job {
 public:
  // `busy` says whether an edit is being computed. `wake` is called from the training's thread when there is something new.
  WordFilm(std::function<bool()> busy, std::function<void()> wake);
  ~WordFilm() override;

  // start({true, 16, 5, ""}, true) trains 16 dimensions by CBOW and plays at once.
  void start(const WordFilmSettings& settings, bool plays);  // gives up a running training
  void play(bool on);
  std::shared_ptr<const WordFilmState> state() const;
  // Writes checkpoint `index` into the new folder `folder`/`name`, as `headlight train-embeddings` does; saved() then has the
  // result.
  // save(40, folder, "words") writes the last of 41 checkpoints.
  void save(std::size_t index, const std::filesystem::path& folder, const std::string& name);
  WordFilmSaved saved() const;
  bool settled() const override { return !state()->preparing; }
  bool pictured() override;  // when all words have come to rest

 private:
  struct Shared;
  class Run;
  void wish(const std::function<void(Shared&)>& change);
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace headlight
