// A training that someone drives step by step, looks into and changes while it runs: the window's.
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

// What a model says of one sequence.
struct SequenceReading {
  std::vector<Tensor> weights;                           // by layer, f32 [head, query, key]
  std::vector<std::int32_t> answers;                     // by place, the token that it thinks comes next
  std::vector<double> right;                             // by place but the last, the probability of the one that does
  std::vector<std::vector<double>> induction, previous;  // by layer and head, 0..1: mean weight on the token before, and on
  // those behind earlier occurrences of a row's token
};

class LiveTraining {
 public:
  // The learning rate stays where it is after the warm-up, and the number of steps has no end. Errors: the data's, those of a
  // vocabulary; `too_large` where a step would take more than 1 GiB.
  static Result<std::unique_ptr<LiveTraining>> make(Config config, const DataPlaces& places,
                                                    std::shared_ptr<backends::Backend> backend, const CancelToken& cancel);

  const Config& config() const { return config_; }
  const Data& data() const { return *data_; }
  std::shared_ptr<const Data> shared_data() const { return data_; }
  const std::vector<Plateau>& known_plateaus() const { return plateaus_; }  // they explain where the loss stands still
  std::int64_t steps() const { return learner_->steps(); }
  std::int64_t count() const { return learner_->count(); }  // of all parameters' numbers
  void set_rate(double rate) { learner_->set_rate(rate); }

  // One step; its loss in nats a label. Everything stays as it was where it fails. Errors: Learner::step()'s.
  Result<double> step(const CancelToken& cancel);
  Result<double> held_out(const CancelToken& cancel);  // mean loss over two held-out batches

  // The parameters of this moment, by name. They share memory with the model: a step makes new arrays.
  NamedTensors parameters() const;
  // What the model with these parameters says of a sequence of at most config().length tokens, at least one.
  Result<SequenceReading> read(const NamedTensors& parameters, std::span<const std::int32_t> ids, const CancelToken& cancel);
  // The tokens of `text` as far as a row goes; empty where one of them is unknown, or where there are fewer than two.
  std::vector<std::int32_t> ids_of(const std::string& text) const;
  // A row that is held out.
  std::vector<std::int32_t> held_out_row() const;

 private:
  LiveTraining() = default;
  Config config_;
  std::shared_ptr<const Data> data_;
  std::unique_ptr<Learner> learner_;
  std::vector<Plateau> plateaus_;
};

}  // namespace headlight::train
