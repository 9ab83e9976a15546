// Trainer: trains a tokenizer in the background lane and plays the film of the last training. It is the job of the Tokens view,
// and lessons use it. `request` holds the person's choices for the next training.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/session/derived.h"
#include "app/session/job.h"
#include "engine/core/status.h"
#include "engine/tokenizers/files/trained.h"
#include "engine/tokenizers/training/film.h"
#include "engine/tokenizers/training/training.h"

namespace headlight {

struct TrainingRequest {
  // The five words of S14; the file in assets; `text`; the file `path`.
  enum class Corpus { lecture, sample, typed, file } corpus = Corpus::lecture;
  std::string path;
  std::string kind = "bpe";           // an id of tokenizers::trainers()
  std::int64_t vocabulary_size = 32;  // special tokens and alphabet are counted
  std::string text = {};              // the typed one
  bool operator==(const TrainingRequest&) const = default;
};

struct TrainingResult {
  TrainingRequest request;
  std::string corpus_words;                            // "a lecture's five words", "sample corpus", "notes.txt"
  std::string name;                                    // "lecture-bpe-32"
  std::shared_ptr<const tokenizers::Trained> trained;  // "trained:" + name, for a document
  std::shared_ptr<const tokenizers::Training> training;
  std::shared_ptr<const tokenizers::Film> film;
  double seconds = 0;
};

// Reads the corpus, trains, and plays the film once. Errors: an unknown kind, a file that cannot be read or has no words, a
// vocabulary size out of range, cancelled.
// train_tokenizer({TrainingRequest::Corpus::lecture, "", "bpe", 32}, cancel) gives the result named "lecture-bpe-32".
Result<TrainingResult> train_tokenizer(const TrainingRequest& request, const CancelToken& cancel,
                                       const std::function<void(std::int64_t done, std::int64_t total)>& progress = {});

class Trainer : public Job {
 public:
  // Without a lane, a training runs on the calling thread (tests). `wake` is called from the lane when there is progress.
  explicit Trainer(Derived::Lane lane = {}, std::function<void()> wake = {});
  ~Trainer() override;  // cancels

  TrainingRequest request;

  void start();
  void cancel();
  bool running() const;
  double progress() const;                               // 0..1
  std::shared_ptr<const TrainingResult> result() const;  // the last successful training; null before the first
  std::shared_ptr<const Error> error() const;            // why the last training failed; null: it did not

  // The film's step: 0 (before the first) .. steps; a new result begins at 1.
  std::int64_t step() const { return step_; }
  std::int64_t steps() const;
  void go_to(std::int64_t step);  // clamped to the film; stops playing
  bool playing() const { return playing_; }
  void play(bool on);  // at the film's end, begins again
  double wake_in() const override { return playing_ ? 0.05 : -1; }
  // The view calls it in each frame, with the time in seconds: advances a playing film and takes a new result.
  void tick(double now);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with a running training
  Derived::Lane lane_;
  std::int64_t step_ = 0;
  bool playing_ = false;
  double next_at_ = 0;
  std::shared_ptr<const TrainingResult> shown_;
};

}  // namespace headlight
