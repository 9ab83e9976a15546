// The list of all operations, one a file: engine/operations/list.inc.
#pragma once

#include <span>

#include "engine/operations/operation.h"

namespace headlight::operations {

#define OPERATION(Op, words) \
  struct Op;                 \
  template <>                \
  const Kind& kind_of<Op>();
#include "engine/operations/list.inc"
#undef OPERATION

std::span<const Kind* const> kinds();
// The operation with this id, as find_kind("softmax"); null: there is none.
const Kind* find_kind(std::string_view id);

}  // namespace headlight::operations
