// A training from its configuration to a folder with a model: data, steps, held-out losses, checkpoints.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/npy.h"
#include "engine/train/checkpoint.h"
#include "engine/train/config.h"
#include "engine/train/data.h"

namespace headlight::train {

// The state of a running training, reported about once a second and at every evaluation.
struct Report {
  std::int64_t step = 0, steps = 0;
  double loss = 0;               // mean of the steps since the last report, nats a label
  double rate = 0;               // learning rate
  double gradient_norm = 0;      // of the last step, before it was clipped
  double tokens_per_second = 0;  // labels learnt from in a second, since the last report
  double flops_per_second = 0;   // counted from the operations, since the last report
  double seconds_left = 0;
  std::optional<CurvePoint> held_out;  // at an evaluation
};

struct TrainingOptions {
  // The folder of the model and its checkpoint, made if it does not exist.
  std::filesystem::path out;
  std::string config_folder, data_folder, where;  // where: the configuration's file, for errors
  bool resume = false;
  std::function<void(const Data&, const Learner&)> started;
  std::function<void(const Report&)> report;
};

// The end of a training.
struct TrainingEnd {
  std::int64_t steps = 0;
  bool interrupted = false;  // by `cancel`: the checkpoint has the steps done so far
  History history;
};

// Trains until the last step or until `cancel`, and leaves in `out` a checkpoint and a model that --model opens. Errors: the
// data's; a model to start from that does not fit (start.h); a folder that already has a training, unless `resume`; the
// checkpoint's; a loss that is no finite number (the last checkpoint stays); the disk's.
// run_training(config, backend, {.out = "out", .data_folder = "/data"}, cancel): out/model.safetensors is the model.
Result<TrainingEnd> run_training(const Config& config, std::shared_ptr<backends::Backend> backend, const TrainingOptions& options,
                                 const CancelToken& cancel);

// Mean loss over at most `batches` held-out batches (all for 0).
// held_out_loss(learner, *data, 20, cancel): held_out is the mean over the first 20 batches.
Result<CurvePoint> held_out_loss(Learner& learner, const Data& data, std::int64_t batches, const CancelToken& cancel);

// The sizes of the data's vocabularies.
Vocabularies vocabularies_of(const Data& data);

// Writes a model of these parameters, by name: config.json, model.safetensors, the tokenizers.
// save_parameters("out", config, *data, training.parameters()): --model out opens it.
Status save_parameters(const std::filesystem::path& folder, const Config& config, const Data& data,
                       const NamedTensors& parameters);
// Writes the learner's model in its present state in the same way.
Status save_model(const std::filesystem::path& folder, const Config& config, const Data& data, const Learner& learner);

}  // namespace headlight::train
