// The four classes of characters that published patterns tell apart, looked up in a table, and the ends of runs of one class.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace headlight::text {

enum class CharacterClass : std::uint8_t { other, letter, number, space };

// A character of a text: its class and its length in bytes. A byte that is no UTF-8 is of the class other.
struct Classified {
  CharacterClass kind = CharacterClass::other;
  std::int64_t length = 1;
};

class CharacterClasses {
 public:
  static const CharacterClasses& get();

  CharacterClass of_byte(unsigned char byte) const { return ascii_[byte]; }  // below 0x80
  Classified at(std::string_view text, std::int64_t at) const {
    const auto byte = static_cast<unsigned char>(text[static_cast<std::size_t>(at)]);
    return byte < 0x80 ? Classified{ascii_[byte], 1} : beyond_ascii(text, at);
  }

  // The end of the run of characters of the class `kind` that begins at `at`. run_end("ab1", 0, letter) is 2.
  std::int64_t run_end(std::string_view text, std::int64_t at, CharacterClass kind) const {
    const auto size = static_cast<std::int64_t>(text.size());
    while (at < size) {
      if (kind == CharacterClass::letter) at = letters_end(text, at);
      if (at >= size) break;
      const Classified here = this->at(text, at);
      if (here.kind != kind) break;
      at += here.length;
    }
    return at;
  }

 private:
  CharacterClasses();
  Classified beyond_ascii(std::string_view text, std::int64_t at) const;

  // The end of the run of ASCII letters, sixteen bytes at a time.
  static std::int64_t letters_end(std::string_view text, std::int64_t at) {
#if defined(__SSE2__)
    const auto size = static_cast<std::int64_t>(text.size());
    while (at + 16 <= size) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
      const __m128i small = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
      const __m128i place =
          _mm_sub_epi8(small, _mm_set1_epi8('a' + 128 - 256));  // 'a' becomes -128: one comparison finds 26 letters
      const auto others = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpgt_epi8(place, _mm_set1_epi8(-128 + 25))));
      if (others != 0) return at + std::countr_zero(others);
      at += 16;
    }
#endif
    return at;
  }

  static constexpr std::uint32_t kTable = 0x20000;  // above it are rare characters, which are looked up each time
  CharacterClass ascii_[128];
  std::uint8_t table_[kTable];
};

}  // namespace headlight::text
