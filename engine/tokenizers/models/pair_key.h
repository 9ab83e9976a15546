// The key of a pair of neighbouring pieces in a table.
#pragma once

#include <cstdint>

namespace headlight::tokenizers {

// `left` in the upper 32 bits, `right` in the lower ones. pair_key(1, 2) is 0x100000002.
inline std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

}  // namespace headlight::tokenizers
