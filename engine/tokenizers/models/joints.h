// Joints: which bytes stand beside each other in some text of a vocabulary. Where two neighbours in a word never do, no piece
// lies across, so that the word falls into parts there, each of which is cut by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headlight::tokenizers {

class Joints {
 public:
  // From add("abc") on a joins b and b joins c.
  void add(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) add(text[i - 1], text[i]);
  }
  void add(char left, char right) { rows_[row_of(left, right)] |= bit_of(right); }
  bool join(char left, char right) const { return (rows_[row_of(left, right)] & bit_of(right)) != 0; }

 private:
  static std::size_t row_of(char left, char right) {
    return std::size_t{4} * static_cast<unsigned char>(left) + static_cast<unsigned char>(right) / 64;
  }
  static std::uint64_t bit_of(char right) { return std::uint64_t{1} << (static_cast<unsigned char>(right) & 63u); }

  std::array<std::uint64_t, 1024> rows_{};  // four for each left byte
};

}  // namespace headlight::tokenizers
