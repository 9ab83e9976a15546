// Positional encodings: tables that are added to the embeddings, and turns of q and k.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/parameter.h"
#include "engine/core/registry.h"
#include "engine/core/tensor.h"

namespace headlight::positions {

enum class Where {
  input,    // a table is added to the embeddings
  rotates,  // q and k turn in every attention, by the operation `rotary`
};

struct Entry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  Where where = Where::input;
  // [length, d_model], f64; rows 0..length-1. Null means nothing is added.
  Tensor (*make)(std::int64_t length, std::int64_t d_model, std::uint64_t seed);
  bool random = false;  // drawn from the seed; the window then says so
};

const Registry<Entry>& registry();  // none, sinusoidal, learned, rotary

}  // namespace headlight::positions
