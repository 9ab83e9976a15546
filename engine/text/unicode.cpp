#include "engine/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/text/newer_characters.h"

namespace headlight::text {
namespace {

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }
// The same with the characters of Unicode 16.
utf8proc_category_t newest_category(char32_t c) {
  const auto k = category(c);
  return k == UTF8PROC_CATEGORY_CN ? category(older_alike(c)) : k;
}
bool ascii_letter(char32_t c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool ascii_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool between(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

// What BERT's tokenizers do not know yet: punctuation, formats and marks that came after Unicode 8, of which the tables of the
// library tokenizers are.
constexpr std::pair<char32_t, char32_t> kAfterUnicode8[] = {
    {0x61D, 0x61D},     {0x7FD, 0x7FD},     {0x890, 0x891},     {0x898, 0x89F},     {0x8CA, 0x8E2},     {0x9FD, 0x9FE},
    {0xA76, 0xA76},     {0xAFA, 0xAFF},     {0xB55, 0xB55},     {0xC04, 0xC04},     {0xC3C, 0xC3C},     {0xC77, 0xC77},
    {0xC84, 0xC84},     {0xD00, 0xD00},     {0xD3B, 0xD3C},     {0xD81, 0xD81},     {0xEBA, 0xEBA},     {0xECE, 0xECE},
    {0x180F, 0x180F},   {0x1885, 0x1886},   {0x1ABF, 0x1ACE},   {0x1B7D, 0x1B7E},   {0x1DF6, 0x1DFB},   {0x2E43, 0x2E5D},
    {0xA82C, 0xA82C},   {0xA8C5, 0xA8C5},   {0xA8FF, 0xA8FF},   {0xA9BD, 0xA9BD},   {0x10D24, 0x10D27}, {0x10EAB, 0x10EAD},
    {0x10EFD, 0x10EFF}, {0x10F46, 0x10F59}, {0x10F82, 0x10F89}, {0x11070, 0x11074}, {0x110C2, 0x110C2}, {0x110CD, 0x110CD},
    {0x111CF, 0x111CF}, {0x1123E, 0x11241}, {0x1133B, 0x1133B}, {0x11438, 0x1145E}, {0x11660, 0x1166C}, {0x116B9, 0x116B9},
    {0x1182F, 0x1183B}, {0x1193B, 0x11946}, {0x119D4, 0x119E2}, {0x11A01, 0x11AA2}, {0x11B00, 0x11B09}, {0x11C30, 0x11CB6},
    {0x11D31, 0x11D97}, {0x11EF3, 0x11F4F}, {0x11FFF, 0x11FFF}, {0x12FF1, 0x12FF2}, {0x13430, 0x13455}, {0x16E97, 0x16E9A},
    {0x16F4F, 0x16F4F}, {0x16FE2, 0x16FE4}, {0x1CF00, 0x1CF46}, {0x1E000, 0x1E02A}, {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136},
    {0x1E2AE, 0x1E2AE}, {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF}, {0x1E944, 0x1E95F}};

// The capital letters of Unicode 15.1 to 17, and their small ones.
constexpr struct {
  char32_t first, last, small;
} kNewCapitals[] = {{0x1C89, 0x1C89, 0x1C8A},    {0xA7CB, 0xA7CB, 0x264},    {0xA7CC, 0xA7CC, 0xA7CD}, {0xA7CE, 0xA7CE, 0xA7CF},
                    {0xA7D2, 0xA7D2, 0xA7D3},    {0xA7D4, 0xA7D4, 0xA7D5},   {0xA7DA, 0xA7DA, 0xA7DB}, {0xA7DC, 0xA7DC, 0x19B},
                    {0x10D50, 0x10D65, 0x10D70}, {0x16EA0, 0x16EB8, 0x16EBB}};

bool is_after_unicode_8(char32_t c) {
  return std::any_of(std::begin(kAfterUnicode8), std::end(kAfterUnicode8),
                     [&](const auto& range) { return between(c, range.first, range.second); });
}

}  // namespace

bool is_letter(char32_t c) {
  if (c < 0x80) return ascii_letter(c);
  const auto k = newest_category(c);
  return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO;
}

bool is_number(char32_t c) {
  if (c < 0x80) return ascii_digit(c);
  const auto k = newest_category(c);
  return k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO;
}

bool is_mark(char32_t c) {
  if (c < 0x300) return false;
  const auto k = category(c);
  return k >= UTF8PROC_CATEGORY_MN && k <= UTF8PROC_CATEGORY_ME;
}

bool is_nonspacing_mark(char32_t c) { return c >= 0x300 && category(c) == UTF8PROC_CATEGORY_MN; }

bool is_accent(char32_t c) {
  if (c == 0x1734 || c == 0x111C9) return c == 0x1734;  // as in Unicode 8
  return is_nonspacing_mark(c) && !is_after_unicode_8(c);
}

bool is_whitespace(char32_t c) {
  if (c < 0x80) return c == ' ' || between(c, 0x09, 0x0D);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || between(c, 0x2000, 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

bool is_punctuation(char32_t c) {
  if (c < 0x80) return between(c, 33, 126) && !ascii_letter(c) && !ascii_digit(c);
  if (c == 0x166D || c == 0x111C9) return true;  // as in Unicode 8
  const auto k = category(c);
  return k >= UTF8PROC_CATEGORY_PC && k <= UTF8PROC_CATEGORY_PO && !is_after_unicode_8(c);
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
  const auto k = newest_category(c);
  return is_letter(c) || (k >= UTF8PROC_CATEGORY_MN && k <= UTF8PROC_CATEGORY_ME) || k == UTF8PROC_CATEGORY_ND ||
         k == UTF8PROC_CATEGORY_NL || k == UTF8PROC_CATEGORY_PC;
}

bool is_control(char32_t c) {
  const auto k = category(c);
  return k == UTF8PROC_CATEGORY_CC || k == UTF8PROC_CATEGORY_CO || k == UTF8PROC_CATEGORY_CS ||
         (k == UTF8PROC_CATEGORY_CF && !is_after_unicode_8(c));
}

bool is_unassigned(char32_t c) { return category(c) == UTF8PROC_CATEGORY_CN; }

char32_t to_lower(char32_t c) {
  if (c < 0x80) return between(c, 'A', 'Z') ? c + 32 : c;
  if (c >= 0x1C89)
    for (const auto& [first, last, small] : kNewCapitals)
      if (between(c, first, last)) return small + (c - first);
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

const char* unicode_version() { return utf8proc_unicode_version(); }

}  // namespace headlight::text
