// WordFilm: trains word vectors in the background and keeps them at even distances, so that the window can show how words move
// while they are learnt. Edits come first: the training waits while one is computed. The shell owns it; the Embeddings view draws
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/insight/embedding_space.h"

namespace headlight {

inline constexpr std::int64_t kWordCheckpoints = 41;  // kept of one training, its beginning and its end among them

struct WordFilmSettings {
  bool bag = false;  // CBOW; otherwise skip-gram
  std::int64_t dimensions = 32, epochs = 10;
  std::string path;  // of a text file; empty: the sentences that the model "course" was trained on
  bool operator==(const WordFilmSettings&) const = default;
};

struct WordCheckpoint {
  std::int64_t done = 0, total = 0;  // places of the text read, of all epochs
  double loss = 0;                   // nats a guess, mean since the checkpoint before; of the first: NaN
  std::shared_ptr<const EmbeddingSpace> space;
  Tensor context;  // f32 [vocabulary, dimensions]
};

struct WordFilmState {
  std::uint64_t training = 0;  // another number for every start
  WordFilmSettings settings;
  std::int64_t words = 0, places = 0;  // of the vocabulary; of the text, each epoch
  std::int64_t done = 0, total = 0;    // places read, of all epochs
  bool preparing = false, playing = false, finished = false;
  std::vector<std::shared_ptr<const WordCheckpoint>> checkpoints;  // the first one before anything is learnt
  std::shared_ptr<const Error> error;                              // why nothing can be learnt
  bool untrained() const { return done == 0 && !playing; }
  std::uint64_t bytes() const;
};

// A whole training at once. Errors: the text's, train_word_vectors()'s; cancelled.
Result<WordFilmState> train_word_film(const WordFilmSettings& settings, const CancelToken& cancel);

struct WordFilmSaved {
  std::uint64_t number = 0;  // how many were asked for so far
  std::filesystem::path folder;
  std::shared_ptr<const Error> error;
};

class WordFilm {
 public:
  // `busy`: whether an edit is being computed. `wake` is called from the training's thread when there is something new.
  WordFilm(std::function<bool()> busy, std::function<void()> wake);
  ~WordFilm();
  WordFilm(const WordFilm&) = delete;
  WordFilm& operator=(const WordFilm&) = delete;

  void start(const WordFilmSettings& settings, bool plays);  // gives up what runs
  void play(bool on);
  std::shared_ptr<const WordFilmState> state() const;
  // Writes checkpoint `index` into the new folder `folder`/`name`, as `headlight train-embeddings` does; saved() has the answer.
  void save(std::size_t index, const std::filesystem::path& folder, const std::string& name);
  WordFilmSaved saved() const;

 private:
  struct Shared;
  class Run;
  void wish(const std::function<void(Shared&)>& change);
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace headlight
