// GivenMatrix: a matrix, or one token's row of the embedding table, whose numbers a document gives in place of the model's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

struct GivenMatrix {
  std::string name;   // the parameter's name without "parameters.": "layer.0.wq", "embedding"
  std::string token;  // the piece of the vocabulary whose row this is; empty: the whole matrix
  std::int64_t rows = 0, columns = 0;
  std::vector<float> values;  // row by row
  bool operator==(const GivenMatrix&) const = default;
};

// One line: "layer.0.wq=1 0/0 1", rows divided by '/'; "embedding[attention]=1 0" for one token's row.
std::string to_text(const GivenMatrix& given);
// Reads the form of to_text(). Errors (usage): no name, a number that is not finite, rows of unequal length, several rows for one
// token, or more than 65,536 numbers.
Result<GivenMatrix> given_matrix_from_text(std::string_view text);

}  // namespace headlight
