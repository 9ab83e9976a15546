// A training that a person runs step by step, reads and changes while it runs: the window's training.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/npy.h"
#include "engine/train/learner.h"
#include "engine/train/plateaus.h"

namespace headlight::train {

// The model's results for one sequence.
struct SequenceReading {
  std::vector<Tensor> weights;        // by layer, f32 [head, query, key]
  std::vector<std::int32_t> answers;  // by place, the most probable next token
  std::vector<double> right;          // by place but the last, the probability of the token that really comes next
  // By layer and head, 0..1. previous: mean weight on the token before. induction: mean weight on the tokens behind earlier
  // occurrences of a row's token.
  std::vector<std::vector<double>> induction, previous;
};

class LiveTraining {
 public:
  // The learning rate is constant after the warm-up, and the number of steps has no end. Errors: those of the data and of a
  // vocabulary; `too_large` where a step would take more than 1 GiB.
  // make(config, {"/data", "assets/models/course", "train.json"}, backend, cancel): before the first step.
  static Result<std::unique_ptr<LiveTraining>> make(Config config, const DataPlaces& places,
                                                    std::shared_ptr<backends::Backend> backend, const CancelToken& cancel);

  const Config& config() const { return config_; }
  const Data& data() const { return *data_; }
  std::shared_ptr<const Data> shared_data() const { return data_; }
  const std::vector<Plateau>& known_plateaus() const { return plateaus_; }  // they explain why the loss stands still
  std::int64_t steps() const { return learner_->steps(); }
  std::int64_t count() const { return learner_->count(); }  // numbers of all parameters
  void set_rate(double rate) { learner_->set_rate(rate); }

  // One step; its loss in nats a label. A step that fails changes nothing. Errors: those of Learner::step().
  Result<double> step(const CancelToken& cancel);
  Result<double> held_out(const CancelToken& cancel);  // mean loss over two held-out batches

  // The present parameters, by name. They share memory with the model, and stay as they are, because a step makes new arrays.
  NamedTensors parameters() const;
  // The results of the model with these parameters for a sequence of at least one and at most config().length tokens.
  // read(parameters(), ids_of("a b a b"), cancel): the present weights and answers.
  Result<SequenceReading> read(const NamedTensors& parameters, std::span<const std::int32_t> ids, const CancelToken& cancel);
  // The tokens of `text`, cut at a row's length; empty where a token is unknown, or where there are fewer than two.
  std::vector<std::int32_t> ids_of(const std::string& text) const;
  // A row of the held-out part, without padding.
  std::vector<std::int32_t> held_out_row() const;

 private:
  LiveTraining() = default;
  Config config_;
  std::shared_ptr<const Data> data_;
  std::unique_ptr<Learner> learner_;
  std::vector<Plateau> plateaus_;
};

}  // namespace headlight::train
