#include "app/gl/shaping.h"

namespace headlight::gl {

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = next_code_point(text, at);
    const std::string_view bytes = text.substr(start, at - start);
    if (c == 0xFFFD && bytes != "\xEF\xBF\xBD")
      out += "\xEF\xBF\xBD";
    else
      out += bytes;
  }
  return out;
}

bool needs_shaping(std::string_view text) {
  // No character below U+0300 needs it, and the first byte of every other one is 0xCC or more.
  if (std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xCC; })) return false;
  // Unicode blocks whose characters join, reorder, stack or combine (Unicode 15, Blocks.txt), and characters of emoji sequences.
  static constexpr struct {
    char32_t first, last;
  } ranges[] = {
      {0x0300, 0x036F},    // combining marks
      {0x0483, 0x0489},    // Cyrillic combining marks
      {0x0590, 0x109F},    // Hebrew, Arabic, Syriac, Indic scripts, Thai, Lao, Tibetan, Myanmar
      {0x1100, 0x11FF},    // Hangul letters
      {0x1700, 0x1AFF},    // Philippine scripts, Khmer, Mongolian, Tai Tham and their neighbours
      {0x1B00, 0x1CFF},    // Balinese to Vedic extensions
      {0x1DC0, 0x1DFF},    // combining marks, supplement
      {0x200D, 0x200F},    // joiner and direction marks
      {0x202A, 0x202E},    // direction
      {0x20D0, 0x20FF},    // combining marks for symbols
      {0xA800, 0xA82F},    // Syloti Nagri
      {0xA840, 0xA95F},    // Phags-pa, Saurashtra, Devanagari extended, Kayah Li, Rejang
      {0xA980, 0xABFF},    // Javanese to Meetei Mayek
      {0xFB1D, 0xFDFF},    // Hebrew and Arabic presentation forms
      {0xFE00, 0xFE0F},    // variation selectors
      {0xFE20, 0xFE2F},    // combining half marks
      {0xFE70, 0xFEFE},    // Arabic presentation forms
      {0x10800, 0x10FFF},  // right-to-left scripts
      {0x11000, 0x11FFF},  // Brahmi and its family
      {0x16A00, 0x16FFF},  // African and Miao scripts
      {0x1E000, 0x1EFFF},  // Glagolitic marks to Arabic mathematical letters
      {0x1F1E6, 0x1F1FF},  // flags
      {0x1F3FB, 0x1F3FF},  // skin tones
      {0xE0000, 0xE0FFF},  // tags and further variation selectors
  };
  if (is_ascii(text)) return false;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    for (const auto& range : ranges)
      if (c >= range.first && c <= range.last) return true;
  }
  return false;
}

}  // namespace headlight::gl
