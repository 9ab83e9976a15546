// The steps and parameters that a model's predictions are made from: its residual stream after every layer, the final norm, and
// the output matrix. The logit lens and the contributions to a logit both read them.
#pragma once

#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct OutputParts {
  std::string stack;                // "" or "decoder.": the place of the stack that predicts
  std::vector<std::string> stream;  // steps [B, N, d_model]: the input of the first layer, then each layer's output
  std::string logits;               // step [B, N, V]
  std::string matrix;               // parameter [d_model, V]
  std::string norm;                 // step [B, N, d_model] between the last layer and the matrix; empty: no norm
  bool rms = false;                 // the norm is RMSNorm; else LayerNorm
  std::string gamma, beta;          // the norm's parameters [d_model]; beta empty: the norm has none
  double epsilon = 0;
  double cap = 0;  // c of the logits c tanh(x / c), x the product with the matrix; 0: they are not bent
};
// Error (not_found): the model has no logits.
Result<OutputParts> output_parts(const Trace& trace);

}  // namespace headlight
