#include "engine/text/graphemes.h"

#include <utf8proc.h>

#include "engine/text/utf8.h"

namespace headlight::text {

std::int64_t grapheme_end(std::string_view text, std::int64_t at) {
  const auto size = static_cast<std::int64_t>(text.size());
  CodePoint current = decode_at(text, at);
  std::int64_t end = at + current.length;
  if (!current.valid) return end;
  utf8proc_int32_t state = 0;
  while (end < size) {
    // Two ASCII characters always part, except CR LF: the common case without a table.
    const auto next_byte = static_cast<unsigned char>(text[static_cast<std::size_t>(end)]);
    if (current.value < 0x80 && next_byte < 0x80 && !(current.value == '\r' && next_byte == '\n')) return end;
    const CodePoint next = decode_at(text, end);
    if (!next.valid || utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(current.value),
                                                        static_cast<utf8proc_int32_t>(next.value), &state))
      return end;
    end += next.length;
    current = next;
  }
  return end;
}

std::int64_t count_graphemes(std::string_view text) {
  std::int64_t count = 0;
  for_each_grapheme(text, [&](std::int64_t, std::int64_t) { ++count; });
  return count;
}

}  // namespace headlight::text
