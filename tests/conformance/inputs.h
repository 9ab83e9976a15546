// Input numbers: the same for every backend, from a fixed seed and a name.
#pragma once

#include <string>
#include <vector>

#include "engine/backends/base/backend.h"

namespace headlight::conformance {

// Normally distributed float32 values in float64, from a fixed seed and the name.
Tensor normal(const std::string& name, const Shape& shape, double deviation = 1.0);
// Uniform over 0 .. below-1.
Tensor uniform_ids(const std::string& name, const Shape& shape, std::int64_t below);
// All inputs of the descriptor: normal values, ids over the table, and no mask.
std::vector<Tensor> inputs_for(const backends::OpDesc& desc, const std::string& name);

}  // namespace headlight::conformance
