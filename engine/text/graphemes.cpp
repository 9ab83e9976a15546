#include "engine/text/graphemes.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>

#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

struct Range {
  char32_t first, last;
};

// Indic_Conjunct_Break (rule GB9c), which utf8proc 2.8 does not know: the consonants of Devanagari, Bengali, Gujarati, Oriya,
// Telugu and Malayalam that a virama joins into one character (Unicode 15.1), and the letters of Myanmar, Khmer and Balinese
// that their stacking signs put below one another (Unicode 17).
constexpr Range kConsonants[] = {
    {0x0915, 0x0939}, {0x0958, 0x095F}, {0x0978, 0x097F}, {0x0995, 0x09A8}, {0x09AA, 0x09B0}, {0x09B2, 0x09B2}, {0x09B6, 0x09B9},
    {0x09DC, 0x09DD}, {0x09DF, 0x09DF}, {0x09F0, 0x09F1}, {0x0A95, 0x0AA8}, {0x0AAA, 0x0AB0}, {0x0AB2, 0x0AB3}, {0x0AB5, 0x0AB9},
    {0x0AF9, 0x0AF9}, {0x0B15, 0x0B28}, {0x0B2A, 0x0B30}, {0x0B32, 0x0B33}, {0x0B35, 0x0B39}, {0x0B5C, 0x0B5D}, {0x0B5F, 0x0B5F},
    {0x0B71, 0x0B71}, {0x0C15, 0x0C28}, {0x0C2A, 0x0C39}, {0x0C58, 0x0C5A}, {0x0D15, 0x0D3A}, {0x1000, 0x102A}, {0x103F, 0x103F},
    {0x1050, 0x1055}, {0x105A, 0x105D}, {0x1061, 0x1061}, {0x1065, 0x1066}, {0x106E, 0x1070}, {0x1075, 0x1081}, {0x108E, 0x108E},
    {0x1780, 0x17B3}, {0x1B05, 0x1B33}, {0x1B45, 0x1B4C}};

bool is_consonant(char32_t c) {
  if (c < 0x0915 || c > 0x1B4C) return false;
  for (const Range& range : kConsonants)
    if (c >= range.first && c <= range.last) return true;
  return false;
}
bool is_virama(char32_t c) {
  return c == 0x094D || c == 0x09CD || c == 0x0ACD || c == 0x0B4D || c == 0x0C4D || c == 0x0D4D || c == 0x1039 || c == 0x17D2 ||
         c == 0x1B44;
}
bool extends_conjunct(char32_t c) { return c == 0x200D || is_nonspacing_mark(c); }
utf8proc_boundclass_t break_class(char32_t c) {
  return static_cast<utf8proc_boundclass_t>(utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->boundclass);
}

// "\x{A9}\x{AE}\x{203C}-\x{203D}": the code points for which `member` holds, as they stand in a class.
template <class Member>
std::string ranges_of(Member&& member) {
  std::string ranges;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (!member(c)) continue;
    const char32_t first = c;
    while (c + 1 < 0x110000 && member(c + 1)) ++c;
    char one[40];
    std::snprintf(one, sizeof one, first == c ? "\\x{%X}" : "\\x{%X}-\\x{%X}", static_cast<unsigned>(first),
                  static_cast<unsigned>(c));
    ranges += one;
  }
  return ranges;
}
std::string ranges_of(std::initializer_list<utf8proc_boundclass_t> classes) {
  return ranges_of([&](char32_t c) {
    const bool is_surrogate = c >= 0xD800 && c < 0xE000;
    return !is_surrogate && std::find(classes.begin(), classes.end(), break_class(c)) != classes.end();
  });
}

// Follows "consonant, then marks with a virama among them", after which a consonant stays in the cluster.
class Conjunct {
 public:
  void take(char32_t c) {
    if (is_consonant(c)) {
      begun_ = true, linked_ = false;
    } else if (is_virama(c)) {
      linked_ = begun_;
    } else if (!extends_conjunct(c)) {
      begun_ = linked_ = false;
    }
  }
  bool joins(char32_t next) const { return linked_ && is_consonant(next); }

 private:
  bool begun_ = false, linked_ = false;
};

}  // namespace

std::int64_t grapheme_end(std::string_view text, std::int64_t at, bool joins_conjuncts) {
  const auto size = static_cast<std::int64_t>(text.size());
  CodePoint current = decode_at(text, at);
  std::int64_t end = at + current.length;
  if (!current.valid) return end;
  utf8proc_int32_t state = 0;
  Conjunct conjunct;
  conjunct.take(current.value);
  while (end < size) {
    // Two ASCII characters always part, except CR LF: the common case without a table.
    const auto next_byte = static_cast<unsigned char>(text[static_cast<std::size_t>(end)]);
    if (current.value < 0x80 && next_byte < 0x80 && !(current.value == '\r' && next_byte == '\n')) return end;
    const CodePoint next = decode_at(text, end);
    if (!next.valid) return end;
    const bool breaks = utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(current.value),
                                                         static_cast<utf8proc_int32_t>(next.value), &state);
    if (breaks && !(joins_conjuncts && conjunct.joins(next.value))) return end;
    conjunct.take(next.value);
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

// UAX 29, table 1c, with rules GB9c and GB11 written out.
std::string grapheme_expression() {
  const std::string controls = ranges_of({UTF8PROC_BOUNDCLASS_CR, UTF8PROC_BOUNDCLASS_LF, UTF8PROC_BOUNDCLASS_CONTROL});
  const std::string prepended = ranges_of({UTF8PROC_BOUNDCLASS_PREPEND}), extend = ranges_of({UTF8PROC_BOUNDCLASS_EXTEND});
  const std::string follows = extend + ranges_of({UTF8PROC_BOUNDCLASS_ZWJ, UTF8PROC_BOUNDCLASS_SPACINGMARK});
  const std::string l = ranges_of({UTF8PROC_BOUNDCLASS_L}), v = ranges_of({UTF8PROC_BOUNDCLASS_V}),
                    t = ranges_of({UTF8PROC_BOUNDCLASS_T}), lv = ranges_of({UTF8PROC_BOUNDCLASS_LV}),
                    lvt = ranges_of({UTF8PROC_BOUNDCLASS_LVT});
  const std::string flag = ranges_of({UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR});
  const std::string picture = ranges_of({UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC});
  const std::string consonant = ranges_of(is_consonant), virama = ranges_of(is_virama);
  const std::string mark = ranges_of([](char32_t c) { return extends_conjunct(c) && !is_virama(c); });
  const auto any = [](const std::string& ranges) { return "[" + ranges + "]"; };

  const std::string hangul =
      any(l) + "*(?:" + any(v + lv) + any(v) + "*" + any(t) + "*|" + any(lvt) + any(t) + "*)|" + any(l) + "+|" + any(t) + "+";
  const std::string pictures = any(picture) + "(?:" + any(extend) + "*\\x{200D}" + any(picture) + ")*";
  const std::string conjunct =
      any(consonant) + "(?:" + any(mark) + "*" + any(virama) + any(mark + virama) + "*" + any(consonant) + ")*";
  const std::string core = "(?:" + hangul + "|" + any(flag) + any(flag) + "?|" + pictures + "|" + conjunct + "|[^" + controls +
                           prepended + follows + "])";
  return "\\r\\n|" + any(controls) + "|" + any(prepended) + "*" + core + any(follows) + "*|" + any(prepended) + "+" +
         any(follows) + "*|" + any(follows) + "+";
}

}  // namespace headlight::text
