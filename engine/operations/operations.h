// The operations that there are, one a file.
#pragma once

#include <span>

#include "engine/operations/operation.h"

namespace headlight::operations {

std::span<const Kind* const> kinds();
const Kind* find_kind(std::string_view id);  // null: there is none

}  // namespace headlight::operations
