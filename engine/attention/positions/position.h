// Positional encodings that are added to the embeddings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/parameter.h"
#include "engine/core/registry.h"
#include "engine/core/tensor.h"

namespace headlight::positions {

struct Entry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  // [length, d_model], f64; rows 0..length-1. Null means nothing is added.
  Tensor (*make)(std::int64_t length, std::int64_t d_model, std::uint64_t seed);
  bool random = false;  // drawn from the seed; the window then says so
};

const Registry<Entry>& registry();  // none, sinusoidal, learned

}  // namespace headlight::positions
