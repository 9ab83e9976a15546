// A model in training: its parameters, their moments, and one step of the optimiser over some batches.
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
  bool decays = true;  // true for matrices, false for norms and biases
};

// The sizes of the vocabularies, as models::Sizes has them.
struct Vocabularies {
  models::Sizes::Tokens text, target;
  bool target_table = false;  // the targets have their own tokenizer and table
};

class Learner {
 public:
  // Parameters drawn by the seed: matrices with deviation 1 / sqrt(inner), divided by sqrt(2 layers) where they write into the
  // residual stream (Radford et al. 2019, 2.3); a tied embedding and a table of positions with 1 / sqrt(d_model); biases 0, norms
  // 1.
  // make(config, vocabularies_of(*data), backend): a learner before its first step.
  static Result<std::unique_ptr<Learner>> make(const Config& config, const Vocabularies& vocabularies,
                                               std::shared_ptr<backends::Backend> backend);
  // The backend that computes: the given one, or the same with bfloat16 products where the configuration asks for them and the
  // device has them.
  const backends::Backend& backend() const { return *backend_; }

  struct Outcome {
    double loss = 0;           // mean over the labels, in nats, smoothed if the configuration has label_smoothing
    double gradient_norm = 0;  // before it is clipped
    double rate = 0;
  };
  // One step over batches whose gradients are added up. A step that fails leaves the parameters unchanged. Errors: a loss that is
  // no finite number; no memory; cancelled; the backend's.
  // step({&batch, 1}, cancel): one step over one batch.
  Result<Outcome> step(std::span<const Batch> batches, const CancelToken& cancel);

  // The loss of one batch.
  struct Loss {
    double sum = 0;  // nats, without label smoothing and dropout
    std::int64_t labelled = 0, bytes = 0;
  };
  // evaluate(data->held_out(0), cancel): sum / labelled is the mean loss of the first held-out batch.
  Result<Loss> evaluate(const Batch& batch, const CancelToken& cancel);

  // The model's results for one batch: the weights of every attention, [batch, head, query, key], in the order of computation,
  // and the scores of every token, [batch * length, vocabulary].
  struct Reading {
    std::vector<Tensor> weights;
    Tensor logits;
  };
  // read(batch, cancel): one tensor of weights for each attention.
  Result<Reading> read(const Batch& batch, const CancelToken& cancel);
  // Every further step has this learning rate, after the warm-up.
  void set_rate(double rate) { config_.learning_rate = config_.least_learning_rate = rate; }
  // The most bytes of memory that the arrays of one step over such a batch take, counted before any of them is allocated.
  Result<std::uint64_t> bytes_needed(const Batch& batch) const;

  std::vector<Trained>& parameters() { return parameters_; }
  const std::vector<Trained>& parameters() const { return parameters_; }
  std::int64_t steps() const { return steps_; }  // done so far
  void set_steps(std::int64_t steps) { steps_ = steps; }
  std::int64_t count() const;  // numbers of all parameters
  // Floating-point operations of one step over such a batch, forward and backward.
  Result<double> flops(const Batch& batch);
  // The gradients of the mean loss over one batch by each parameter, without a step: for tests.
  // gradients(batch, cancel): tensors in the order of parameters().
  Result<std::vector<Tensor>> gradients(const Batch& batch, const CancelToken& cancel);

 private:
  // The model for batches of one shape.
  struct Shaped {
    models::Sizes sizes;
    models::ModelPlan plan;
    bool training = true;
    std::unique_ptr<Machine> machine;
    StepInputs inputs;  // the inputs that the plan brings along
  };
  // The arrays that compute one batch, or one part of a batch, at a time.
  struct Lane {
    std::shared_ptr<Arena> arena;
    std::list<Shaped> shaped;  // most recently used first
  };
  // A step's share from one batch, or from a part of it.
  struct Share {
    double loss = 0;  // sum of its losses
    // By parameter, f32. They stay until the lane's next batch. Empty where the loss is not finite.
    std::vector<Tensor> gradients;
  };
  Learner(const Config& config, const Vocabularies& vocabularies, std::shared_ptr<backends::Backend> backend);
  models::Sizes sizes_of(const std::vector<std::int64_t>& lengths, std::int64_t length,
                         const std::vector<std::int64_t>& target_lengths, std::int64_t target_length) const;
  Result<models::ModelPlan> plan_of(const models::Sizes& sizes) const;
  GraphOptions graph_options(bool training) const;
  // The graph for batches of this shape. `lane` is an index in lanes_.
  Result<Shaped*> shaped(std::size_t lane, const Batch& batch, bool training);
  // `counter`: the number that dropout draws by.
  Result<double> forward(Shaped& shaped, const Batch& batch, double share, std::int64_t counter, const CancelToken& cancel);
  Result<Share> share_of(std::size_t lane, const Batch& batch, double share, std::int64_t counter, const CancelToken& cancel);
  // The shares of a batch's parts, each computed by one thread, or the share of the whole batch if it is not cut (batch_parts.h).
  Result<std::vector<Share>> shares_of(const Batch& batch, double share, const CancelToken& cancel);
  // Adds the shares' gradients, part by part in their order, to sums_; with from_zero sums_ begins at 0.
  void add_gradients(const std::vector<Share>& shares, bool from_zero);
  Status draw();

  Config config_;
  Vocabularies vocabularies_;
  std::shared_ptr<backends::Backend> backend_;
  std::vector<Lane> lanes_;  // the first one also computes batches that are not cut
  std::vector<Trained> parameters_;
  std::vector<Tensor> sums_;  // of gradients, by parameter; kept, so that a step allocates no memory for them
  std::int64_t steps_ = 0;
};

}  // namespace headlight::train
