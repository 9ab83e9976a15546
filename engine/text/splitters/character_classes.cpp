#include "engine/text/splitters/character_classes.h"

#include <memory>

#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

CharacterClass character_class_of(char32_t c) {
  if (is_letter(c)) return CharacterClass::letter;
  if (is_number(c)) return CharacterClass::number;
  return is_whitespace(c) ? CharacterClass::space : CharacterClass::other;
}

}  // namespace

const CharacterClasses& CharacterClasses::get() {
  static const std::unique_ptr<const CharacterClasses> all(new CharacterClasses);
  return *all;
}

CharacterClasses::CharacterClasses() {
  for (std::uint32_t c = 0; c < kTable; ++c) table_[c] = static_cast<std::uint8_t>(character_class_of(c));
  for (std::uint32_t c = 0; c < 128; ++c) ascii_[c] = static_cast<CharacterClass>(table_[c]);
}

Classified CharacterClasses::beyond_ascii(std::string_view text, std::int64_t at) const {
  const CodePoint point = decode_at(text, at);
  if (!point.valid) return {CharacterClass::other, 1};
  return {point.value < kTable ? static_cast<CharacterClass>(table_[point.value]) : character_class_of(point.value),
          point.length};
}

}  // namespace headlight::text
