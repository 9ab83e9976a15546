// A model that is being trained: its parameters, their moments, and one step of the optimiser over some batches.
#pragma once

#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/train/adamw.h"
#include "engine/train/config.h"
#include "engine/train/data.h"
#include "engine/train/machine.h"

namespace headlight::train {

// A tensor of the model with its optimiser's state, float32.
struct Trained {
  models::ParameterSpec spec;
  Tensor value;
  Moments moments;
  bool decays = true;  // matrices do, norms and biases do not
};

// What a vocabulary says of itself, as Sizes want it.
struct Vocabularies {
  models::Sizes::Tokens text, target;
  bool target_table = false;  // two tables: the target has a tokenizer of its own
};

class Learner {
 public:
  // Parameters drawn by the seed: matrices with deviation 1 / sqrt(inner), divided by sqrt(2 layers) where they write into the
  // residual stream (Radford et al. 2019, 2.3); a tied embedding and a table of positions with 1 / sqrt(d_model); biases 0,
  // norms 1.
  static Result<std::unique_ptr<Learner>> make(const Config& config, const Vocabularies& vocabularies,
                                               std::shared_ptr<backends::Backend> backend);
  // What it computes on: the backend it was given, or that one with bfloat16 products where the configuration asks for them and
  // there are any.
  const backends::Backend& backend() const { return *backend_; }

  struct Outcome {
    double loss = 0;           // mean over the labels, in nats, smoothed where the configuration says so
    double gradient_norm = 0;  // before it is clipped
    double rate = 0;
  };
  // One step over batches whose gradients are added up. The parameters stay as they were where it fails. Errors: a loss that is
  // no finite number; no memory; cancelled; the backend's.
  Result<Outcome> step(std::span<const Batch> batches, const CancelToken& cancel);

  struct Loss {
    double sum = 0;  // nats, not smoothed, nothing dropped
    std::int64_t labelled = 0, bytes = 0;
  };
  Result<Loss> evaluate(const Batch& batch, const CancelToken& cancel);

  // What the model says of one batch: the weights of every attention, [batch, head, query, key], in the order of computation, and
  // the scores of every token, [batch * length, vocabulary].
  struct Reading {
    std::vector<Tensor> weights;
    Tensor logits;
  };
  Result<Reading> read(const Batch& batch, const CancelToken& cancel);
  // From now on every step has this learning rate, after the warm-up.
  void set_rate(double rate) { config_.learning_rate = config_.least_learning_rate = rate; }
  // The memory that the arrays of one step over such a batch take at most, in bytes, counted before any of it is allocated.
  Result<std::uint64_t> bytes_needed(const Batch& batch) const;

  std::vector<Trained>& parameters() { return parameters_; }
  const std::vector<Trained>& parameters() const { return parameters_; }
  std::int64_t steps() const { return steps_; }  // done so far
  void set_steps(std::int64_t steps) { steps_ = steps; }
  std::int64_t count() const;  // of all parameters' numbers
  // Of one step over such a batch, forward and backward.
  Result<double> flops(const Batch& batch);
  // The gradients of the mean loss over one batch by each parameter, without a step: for tests.
  Result<std::vector<Tensor>> gradients(const Batch& batch, const CancelToken& cancel);

 private:
  // The model for batches of one shape.
  struct Shaped {
    models::Sizes sizes;
    models::ModelPlan plan;
    bool training = true;
    std::unique_ptr<Machine> machine;
    StepInputs inputs;  // those of the plan
  };
  // What computes one batch, or one part of a batch, at a time.
  struct Lane {
    std::shared_ptr<Arena> arena;
    std::list<Shaped> shaped;  // most recently used first
  };
  // What a batch, or a part of it, gives to a step.
  struct Share {
    double loss = 0;  // sum of its losses
    std::vector<Tensor>
        gradients;  // by parameter, f32; they stay until the lane's next batch. Empty where the loss is not finite
  };
  Learner(const Config& config, const Vocabularies& vocabularies, std::shared_ptr<backends::Backend> backend);
  models::Sizes sizes_of(const std::vector<std::int64_t>& lengths, std::int64_t length,
                         const std::vector<std::int64_t>& target_lengths, std::int64_t target_length) const;
  Result<models::ModelPlan> plan_of(const models::Sizes& sizes) const;
  // `lane`: the number of one of lanes_.
  GraphOptions graph_options(bool training) const;
  Result<Shaped*> shaped(std::size_t lane, const Batch& batch, bool training);
  // `counter`: what dropout draws by.
  Result<double> forward(Shaped& shaped, const Batch& batch, double share, std::int64_t counter, const CancelToken& cancel);
  Result<Share> share_of(std::size_t lane, const Batch& batch, double share, std::int64_t counter, const CancelToken& cancel);
  // The shares of a batch's parts, each computed by one thread; of the whole batch where it stays whole (batch_parts.h).
  Result<std::vector<Share>> shares_of(const Batch& batch, double share, const CancelToken& cancel);
  // Adds the shares' gradients, part by part in their order, to sums_, or to 0 and not to what is there.
  void add_gradients(const std::vector<Share>& shares, bool from_zero);
  Status draw();

  Config config_;
  Vocabularies vocabularies_;
  std::shared_ptr<backends::Backend> backend_;
  std::vector<Lane> lanes_;  // the first also computes what stays whole
  std::vector<Trained> parameters_;
  std::vector<Tensor> sums_;  // of gradients, by parameter; kept, so that a step allocates no memory for them
  std::int64_t steps_ = 0;
};

}  // namespace headlight::train
