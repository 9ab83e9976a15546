#include "engine/text/unicode.h"

#include <utf8proc.h>

namespace headlight::text {
namespace {

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }
bool ascii_letter(char32_t c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool ascii_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool between(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

}  // namespace

bool is_letter(char32_t c) {
  if (c < 0x80) return ascii_letter(c);
  const auto k = category(c);
  return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO;
}

bool is_number(char32_t c) {
  if (c < 0x80) return ascii_digit(c);
  const auto k = category(c);
  return k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO;
}

bool is_mark(char32_t c) {
  if (c < 0x300) return false;
  const auto k = category(c);
  return k >= UTF8PROC_CATEGORY_MN && k <= UTF8PROC_CATEGORY_ME;
}

bool is_nonspacing_mark(char32_t c) { return c >= 0x300 && category(c) == UTF8PROC_CATEGORY_MN; }

bool is_whitespace(char32_t c) {
  if (c < 0x80) return c == ' ' || between(c, 0x09, 0x0D);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || between(c, 0x2000, 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

bool is_punctuation(char32_t c) {
  if (c < 0x80) return between(c, 33, 126) && !ascii_letter(c) && !ascii_digit(c);
  const auto k = category(c);
  return k >= UTF8PROC_CATEGORY_PC && k <= UTF8PROC_CATEGORY_PO;
}

bool is_ideograph(char32_t c) {
  return between(c, 0x4E00, 0x9FFF) || between(c, 0x3400, 0x4DBF) || between(c, 0xF900, 0xFAFF) || between(c, 0x20000, 0x2A6DF) ||
         between(c, 0x2A700, 0x2CEAF) || between(c, 0x2F800, 0x2FA1F);
}

bool is_invisible(char32_t c) {
  if (between(c, 0xFE00, 0xFE0F) || between(c, 0xE0100, 0xE01EF) || c == 0x034F || c == 0x115F || c == 0x1160 || c == 0x3164)
    return true;
  const auto k = category(c);
  return k == UTF8PROC_CATEGORY_CC || k == UTF8PROC_CATEGORY_CF || k == UTF8PROC_CATEGORY_CN || k == UTF8PROC_CATEGORY_ZL ||
         k == UTF8PROC_CATEGORY_ZP || k == UTF8PROC_CATEGORY_CO;
}

bool is_word(char32_t c) {
  if (c < 0x80) return ascii_letter(c) || ascii_digit(c) || c == '_';
  // Alphabetic without being letters: circled and squared Latin letters.
  if (c == 0x200C || c == 0x200D || between(c, 0x24B6, 0x24E9) || between(c, 0x1F130, 0x1F149) || between(c, 0x1F150, 0x1F169) ||
      between(c, 0x1F170, 0x1F189))
    return true;
  const auto k = category(c);
  return is_letter(c) || is_mark(c) || k == UTF8PROC_CATEGORY_ND || k == UTF8PROC_CATEGORY_NL || k == UTF8PROC_CATEGORY_PC;
}

bool is_control(char32_t c) {
  const auto k = category(c);
  return k == UTF8PROC_CATEGORY_CC || k == UTF8PROC_CATEGORY_CF || k == UTF8PROC_CATEGORY_CO || k == UTF8PROC_CATEGORY_CS;
}

bool is_unassigned(char32_t c) { return category(c) == UTF8PROC_CATEGORY_CN; }

char32_t to_lower(char32_t c) {
  if (c < 0x80) return between(c, 'A', 'Z') ? c + 32 : c;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

const char* unicode_version() { return utf8proc_unicode_version(); }

}  // namespace headlight::text
