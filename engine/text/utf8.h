// Reading and writing UTF-8. Any bytes can be read, and no byte is ever dropped: a byte that belongs to no well-formed sequence
// (The Unicode Standard, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF) is an item of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headlight::text {

struct CodePoint {
  char32_t value = 0;       // the character; for an invalid byte the byte itself
  std::int64_t length = 0;  // in bytes: 1..4, 1 for an invalid byte, 0 at the end of the text
  bool valid = true;
};

// The item that begins at byte `at` (0 <= at <= text.size()). decode_at("né", 1) gives U+00E9 of length 2.
CodePoint decode_at(std::string_view text, std::int64_t at);

// Calls visit(start, CodePoint) for every item, in order; the items' lengths add up to text.size().
// for_each_code_point("né", visit) calls visit(0, n) and visit(1, é).
template <class Visit>
void for_each_code_point(std::string_view text, Visit&& visit) {
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(text.size());) {
    const CodePoint point = decode_at(text, at);
    visit(at, point);
    at += point.length;
  }
}

// Appends the UTF-8 form of a code point below U+110000 that is no surrogate: append_utf8(text, 0xE9) appends "é".
void append_utf8(std::string& text, char32_t value);
std::string to_utf8(char32_t value);
bool is_valid_utf8(std::string_view text);
bool is_ascii(std::string_view text);  // every byte is below 0x80
// The number of items: characters plus invalid bytes.
std::int64_t count_code_points(std::string_view text);

}  // namespace headlight::text
