// A training's state in a file, from which it goes on bit for bit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/train/config.h"
#include "engine/train/learner.h"

namespace headlight::train {

inline constexpr const char* kCheckpointFile = "checkpoint.safetensors";

// How the training went so far.
struct CurvePoint {
  std::int64_t step = 0;
  double loss = 0;           // mean over the steps since the point before, in nats a label
  double held_out = 0;       // likewise, of held-out labels
  double held_out_bits = 0;  // bits a byte of held-out text; 0: its bytes are not known
};
struct History {
  std::vector<CurvePoint> curve;
  double seconds = 0;       // spent computing
  std::int64_t labels = 0;  // learnt from
};

// The file has every parameter's value and moments as float32, what the training is (what_determines()), a fingerprint of its
// data, and its history. Written whole or not at all: the one before stays until the new one is complete.
Status save_checkpoint(const std::filesystem::path& folder, const Config& config, const Fingerprint& data, const Learner& learner,
                       const History& history);
// Errors: the file's own; another configuration (the first key that differs is named) or other data; a tensor that is missing, of
// another shape or not finite.
Result<History> load_checkpoint(const std::filesystem::path& folder, const Config& config, const Fingerprint& data,
                                Learner& learner);

}  // namespace headlight::train
