// What a model's plan and a trace say of each step, each attention and each parameter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/attention/masks/mask.h"
#include "engine/core/tensor.h"

namespace headlight {

struct Step {
  std::string name;                 // "layer.0.weights", "decoder.layer.1.cross.q", ...: DESIGN.md's contract
  std::string operation;            // "softmax over keys"
  std::string formula;              // "weights[h, i, j] = exp(masked[h, i, j] / T) / sum_j exp(...)"
  std::vector<std::string> inputs;  // names of steps, or "parameters.…"
  Shape shape;
  Axes axes;
  DType dtype = DType::f32;
  bool kept = false;            // false: made again from its inputs, by tile, when someone looks
  bool random_weights = false;  // depends on seeded, untrained weights
  bool from_cache = false;      // this run found it in the step cache
  std::string note;             // what a reader should know besides, e.g. what a fully masked row is; may be empty
};

// One attention of the model: where its steps are and whose tokens are its rows and columns.
struct AttentionSite {
  std::string prefix;  // "layer.0.", "encoder.layer.0.", "decoder.layer.0.", "decoder.layer.0.cross."
  masks::Site site = masks::Site::decoder_self;
  std::int64_t layer = 0;
  std::int64_t heads = 1, queries = 0, keys = 0, d_k = 0;
  bool rows_are_targets = false, columns_are_targets = false;
  double scale = 1.0;    // the number the scores were multiplied by
  masks::Combined mask;  // its parts at their broadcast shapes
};

struct NamedParameter {
  std::string name;  // "parameters.layer.0.wq"
  Shape shape;
  Axes axes;
  bool random = true;
  double deviation = 0;        // of the normal numbers it was drawn from, if random
  std::int64_t zero_row = -1;  // this row was set to zero: the [PAD] row of an embedding table
};

}  // namespace headlight
