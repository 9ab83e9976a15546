#include "engine/operations/operations.h"

#include <array>

namespace headlight::operations {

std::span<const Kind* const> kinds() {
  static const std::array all{
#define OPERATION(Op, words) &kind_of<Op>(),
#include "engine/operations/list.inc"
#undef OPERATION
  };
  return all;
}

const Kind* find_kind(std::string_view id) {
  for (const Kind* kind : kinds())
    if (kind->id == id) return kind;
  return nullptr;
}

}  // namespace headlight::operations
