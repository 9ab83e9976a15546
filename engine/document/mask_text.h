// A painted mask as text: rows of 0 and 1 divided by '/', as options and JSON write it.
#pragma once

#include <string>
#include <string_view>

#include "engine/attention/masks/mask.h"

namespace headlight {

std::string matrix_to_text(const masks::Matrix& matrix);  // "100/110/111"
// Errors: another character, rows of unequal length, more than 8,192 rows or columns.
Result<masks::Matrix> matrix_from_text(std::string_view text);

}  // namespace headlight
