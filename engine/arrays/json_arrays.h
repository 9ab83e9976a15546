// The arrays and texts in a JSON text: lists of lists of numbers, and lists of texts, wherever they lie in objects. An array's
// name is its path, "outputs.block_0_attn"; a last "data", "value" or "values" is left out of it.
#pragma once

#include <string>
#include <string_view>

#include "engine/arrays/array_file.h"
#include "engine/core/status.h"

namespace headlight::arrays {

// Reads numbers straight into arrays of float64, or of float32 where that is exact: a Json value of each would take twenty times
// the memory. null is kNull, true is 1; NaN and Infinity are read as Python writes them. Adds what it finds to the file. Errors:
// a text that stops being JSON, with line and column; more than 64 levels.
Status read_json(std::string_view text, File& file);

}  // namespace headlight::arrays
