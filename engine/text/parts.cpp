#include "engine/text/parts.h"

#include <algorithm>

#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {

std::int64_t part_end(std::string_view text, std::int64_t begin, std::int64_t about) {
  const auto size = static_cast<std::int64_t>(text.size());
  for (std::int64_t end = begin + std::max<std::int64_t>(1, about); end < size; ++end) {
    const char here = text[static_cast<std::size_t>(end)], before = text[static_cast<std::size_t>(end) - 1];
    const bool space = here == ' ' || (here >= '\t' && here <= '\r');
    if (space && before > ' ' && before < '\x7f') return end;
    if (here != '\n') continue;
    std::int64_t last = end - 1;  // the character before the newline
    while (last > begin && last > end - 4 && (static_cast<unsigned char>(text[static_cast<std::size_t>(last)]) & 0xC0u) == 0x80)
      --last;
    const CodePoint point = decode_at(text, last);
    if (point.valid && last + point.length == end && !is_whitespace(point.value)) return end;
  }
  return size;
}

}  // namespace headlight::text
