#include "engine/text/display.h"

#include <cstdint>
#include <cstdio>

#include "engine/text/graphemes.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

std::string code_point_name(char32_t c) {
  char name[16];
  std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(c));
  return name;
}

}  // namespace

std::string display_byte(unsigned char byte) {
  char name[8];
  std::snprintf(name, sizeof name, "0x%02X", byte);
  return name;
}

std::string display_text(std::string_view piece) {
  std::string shown;
  bool named = false;  // the last thing shown was a name: two names in a row need a gap
  const auto name = [&](const std::string& text) {
    if (named) shown += ' ';
    shown += text;
    named = true;
  };
  for_each_grapheme(piece, [&](std::int64_t start, std::int64_t end) {
    const CodePoint first = decode_at(piece, start);
    const std::string_view cluster = piece.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
    if (!first.valid) return name(display_byte(static_cast<unsigned char>(first.value)));
    if (first.value == ' ' || first.value == '\n' || first.value == '\t') {
      shown += first.value == ' ' ? "·" : first.value == '\n' ? "↵" : "⇥";
      // A mark on a space is one cluster with it.
      if (cluster.size() > 1) shown += cluster.substr(1);
      named = false;
    } else if (first.value == '\r' && cluster.size() > 1) {
      name(display_byte('\r'));
      shown += "↵";
      named = false;
    } else if (first.value < 0x20 || first.value == 0x7F) {
      name(display_byte(static_cast<unsigned char>(first.value)));
    } else if (is_invisible(first.value) || is_whitespace(first.value)) {
      for_each_code_point(cluster, [&](std::int64_t, const CodePoint& point) { name(code_point_name(point.value)); });
    } else {
      if (is_mark(first.value)) shown += "◌";
      shown += cluster;
      named = false;
    }
  });
  return shown;
}

}  // namespace headlight::text
