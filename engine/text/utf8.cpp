#include "engine/text/utf8.h"

#include <algorithm>

namespace headlight::text {

CodePoint decode_at(std::string_view text, std::int64_t at) {
  const auto size = static_cast<std::int64_t>(text.size());
  if (at >= size) return {0, 0, true};
  const auto byte = [&](std::int64_t i) { return static_cast<std::uint8_t>(text[static_cast<std::size_t>(i)]); };
  const std::uint8_t first = byte(at);
  if (first < 0x80) return {first, 1, true};
  const CodePoint invalid{first, 1, false};
  int length = 0;
  std::uint8_t low = 0x80, high = 0xBF;  // the allowed range of the second byte
  char32_t value = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2, value = first & 0x1Fu;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3, value = first & 0x0Fu;
    if (first == 0xE0) low = 0xA0;   // shorter forms exist
    if (first == 0xED) high = 0x9F;  // surrogates
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4, value = first & 0x07u;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;  // above U+10FFFF
  } else {
    return invalid;
  }
  if (at + length > size) return invalid;
  for (int i = 1; i < length; ++i) {
    const std::uint8_t next = byte(at + i);
    if (next < low || next > high) return invalid;
    low = 0x80, high = 0xBF;
    value = (value << 6) | (next & 0x3Fu);
  }
  return {value, length, true};
}

void append_utf8(std::string& text, char32_t value) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xC0 | (value >> 6)), put(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    put(0xE0 | (value >> 12)), put(0x80 | ((value >> 6) & 0x3F)), put(0x80 | (value & 0x3F));
  } else {
    put(0xF0 | (value >> 18)), put(0x80 | ((value >> 12) & 0x3F));
    put(0x80 | ((value >> 6) & 0x3F)), put(0x80 | (value & 0x3F));
  }
}

std::string to_utf8(char32_t value) {
  std::string text;
  append_utf8(text, value);
  return text;
}

bool is_valid_utf8(std::string_view text) {
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(text.size());) {
    const CodePoint point = decode_at(text, at);
    if (!point.valid) return false;
    at += point.length;
  }
  return true;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::int64_t count_code_points(std::string_view text) {
  std::int64_t count = 0;
  for_each_code_point(text, [&](std::int64_t, const CodePoint&) { ++count; });
  return count;
}

}  // namespace headlight::text
