// What the Counting view saves: the model that it counts.
#pragma once

#include <cstdint>
#include <string>

#include "app/fields/fields.h"

namespace headlight::views::counting {

struct State {
  std::string base = "gpt3";  // a preset's id, or "model" for the document's model
  // The person's sizes in place of the base's; 0: the base's.
  std::int64_t d_model = 0, heads = 0, layers = 0, d_k = 0, neurons = 0, vocabulary = 0, context = 0;
  std::string unembedding;     // "own", "shared"; empty: the base's
  std::string line = "value";  // the selected kind of matrix
  std::string numbers = "fp16";
  std::string page;  // "lengths"; empty: the matrices
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::counting
