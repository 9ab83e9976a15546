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

// What a training says of itself while it runs, about once a second and at every evaluation.
struct Report {
  std::int64_t step = 0, steps = 0;
  double loss = 0;               // mean of the steps since the last report, nats a label
  double rate = 0;               // learning rate
  double gradient_norm = 0;      // of the last step, before it was clipped
  double tokens_per_second = 0;  // labels learnt from, since the last report
  double flops_per_second = 0;   // likewise, as the operations count theirs
  double seconds_left = 0;
  std::optional<CurvePoint> held_out;  // at an evaluation
};

struct TrainingOptions {
  std::filesystem::path out;                      // the folder of the model and its checkpoint; made where there is none
  std::string config_folder, data_folder, where;  // where: the configuration's file, for errors
  bool resume = false;
  std::function<void(const Data&, const Learner&)> started;
  std::function<void(const Report&)> report;
};

// How it ended.
struct TrainingEnd {
  std::int64_t steps = 0;
  bool interrupted = false;  // by `cancel`: what was learnt is in the checkpoint
  History history;
};

// Trains until the last step or until `cancel`, and leaves in `out` a checkpoint and a model that --model opens. Errors: the
// data's; a model to start from that is another one (start.h); a folder that has a training already, unless `resume`; the
// checkpoint's; a loss that is no finite number (the last checkpoint stays); the disk's.
Result<TrainingEnd> run_training(const Config& config, std::shared_ptr<backends::Backend> backend, const TrainingOptions& options,
                                 const CancelToken& cancel);

// Mean loss over at most `batches` held-out batches (all for 0).
Result<CurvePoint> held_out_loss(Learner& learner, const Data& data, std::int64_t batches, const CancelToken& cancel);

// What the data's tokenizers say of themselves.
Vocabularies vocabularies_of(const Data& data);

// Writes a model of these parameters, by name: config.json, model.safetensors, the tokenizers.
Status save_parameters(const std::filesystem::path& folder, const Config& config, const Data& data,
                       const NamedTensors& parameters);
// Writes the model as it is now: config.json, model.safetensors, the tokenizers.
Status save_model(const std::filesystem::path& folder, const Config& config, const Data& data, const Learner& learner);

}  // namespace headlight::train
