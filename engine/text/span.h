// Span: a range of bytes of a text.
#pragma once

#include <cstdint>

namespace headlight::text {

struct Span {
  std::int64_t start = 0, end = 0;  // bytes, [start, end)
  bool operator==(const Span&) const = default;
};

}  // namespace headlight::text
