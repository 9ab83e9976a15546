// LayerNorm: each row to mean 0 and variance 1, then scaled and shifted.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y = gamma (x - mean) / sqrt(variance + epsilon) + beta over the last axis, biased variance (Ba et al. 2016).
// in: x [rows, d], gamma [d], beta [d] if bias.  out: y
struct LayerNorm {
  std::int64_t rows = 0, d = 0;
  double epsilon = 1e-5;
  bool bias = true;
};
template <>
const Kind& kind_of<LayerNorm>();

}  // namespace headlight::operations
