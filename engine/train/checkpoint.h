// A training's state in a file, from which it continues bit for bit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/train/config.h"
#include "engine/train/learner.h"

namespace headlight::train {

inline constexpr const char* kCheckpointFile = "checkpoint.safetensors";

// One point of a training's learning curve.
struct CurvePoint {
  std::int64_t step = 0;
  double loss = 0;           // mean over the steps since the point before, in nats a label
  double held_out = 0;       // mean over held-out labels, in nats a label
  double held_out_bits = 0;  // bits a byte of held-out text; 0: the number of bytes is unknown
};
struct History {
  std::vector<CurvePoint> curve;
  double seconds = 0;       // spent computing
  std::int64_t labels = 0;  // number of labels learnt from
};

// The file has every parameter's value and moments as float32, what_determines() of the configuration, a fingerprint of the data,
// and the history. It is written whole or not at all: the file before stays until the new one is complete.
// save_checkpoint("out", config, data.fingerprint(), learner, history) writes out/checkpoint.safetensors.
Status save_checkpoint(const std::filesystem::path& folder, const Config& config, const Fingerprint& data, const Learner& learner,
                       const History& history);
// Errors: the file's own; another configuration (the first key that differs is named) or other data; a tensor that is missing, of
// another shape or not finite.
// load_checkpoint("out", config, data.fingerprint(), learner): the learner is then as it was saved.
Result<History> load_checkpoint(const std::filesystem::path& folder, const Config& config, const Fingerprint& data,
                                Learner& learner);

}  // namespace headlight::train
