// Decodes UTF-8 for drawing and tells which texts need shaping. Each invalid byte becomes U+FFFD.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headlight::gl {

// Decodes the character at text[at] and moves `at` past the character, by at least one byte.
// next_code_point("é", at) with `at` 0 gives U+00E9 and sets `at` to 2.
inline char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at++);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 && lead <= 0xF4 ? 3 : lead >= 0xE0 && lead < 0xF0 ? 2 : lead >= 0xC2 && lead < 0xE0 ? 1 : 0;
  if (more == 0 || at + static_cast<std::size_t>(more) > text.size()) return 0xFFFD;
  char32_t value = lead & (0x3F >> more);
  for (int i = 0; i < more; ++i) {
    const unsigned char next = byte(at + static_cast<std::size_t>(i));
    if ((next & 0xC0) != 0x80) return 0xFFFD;
    value = (value << 6) | (next & 0x3F);
  }
  static constexpr char32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (value < least[more] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0xFFFD;
  at += static_cast<std::size_t>(more);
  return value;
}

inline bool is_ascii(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

// Replaces invalid bytes by U+FFFD; valid text stays unchanged.
std::string valid_utf8(std::string_view text);

// Whether drawing one glyph after the other would be wrong: scripts that join, reorder or stack, and emoji sequences.
bool needs_shaping(std::string_view text);

}  // namespace headlight::gl
