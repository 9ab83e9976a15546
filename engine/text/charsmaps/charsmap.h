// Charsmap: SentencePiece's compiled table of replacements, "precompiled_charsmap". It is the number of bytes of a double array,
// that array, whose units are 32 bits, and behind it the replacements, each with a zero byte at its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight::text {

class Charsmap {
 public:
  Charsmap() = default;  // replaces nothing
  // The table from its bytes. Errors (invalid): they are cut off. Of no bytes: a table that replaces nothing.
  static Result<Charsmap> of(std::string_view bytes);
  // The same of the bytes in base64, as tokenizer.json has them.
  static Result<Charsmap> of_base64(std::string_view text);

  bool empty() const { return units_.empty(); }
  struct Found {
    std::int64_t length = 0;  // bytes of the text
    std::string_view replacement;
  };
  // The shortest or the longest text at the beginning of `text` that is replaced. "ﬁx" may give "fi" for three bytes.
  std::optional<Found> shortest(std::string_view text) const { return may_begin(text) ? find(text, true) : std::nullopt; }
  std::optional<Found> longest(std::string_view text) const { return may_begin(text) ? find(text, false) : std::nullopt; }
  // All texts of these characters (of ASCII) alone that are replaced; nothing if there are more than a few.
  std::optional<std::vector<std::string>> texts_of(std::string_view characters) const;
  // Those of these characters (of ASCII) that no text of more than one byte has that is replaced.
  std::string standing_alone(std::string_view characters) const;
  // Whether a replacement has this text.
  bool makes(std::string_view text) const { return replacements_.find(text) != std::string::npos; }

 private:
  std::optional<Found> find(std::string_view text, bool shortest) const;
  // False: no text that is replaced begins as `text` does, which most characters say without the table. Of ASCII the first two
  // bytes are asked for, else the first character of two or three bytes.
  bool may_begin(std::string_view text) const {
    if (beginnings_.empty() || text.size() < 3) return true;
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
    const auto goes_on = [&](std::size_t i) { return byte(i) >> 6 == 2; };
    if (byte(0) < 0x80) return has(kPlane + 256 * byte(0) + byte(1));
    if (byte(0) >> 5 == 6 && goes_on(1)) return has((byte(0) & 31u) << 6 | (byte(1) & 63u));
    if (byte(0) >> 4 == 14 && goes_on(1) && goes_on(2))
      return has((byte(0) & 15u) << 12 | (byte(1) & 63u) << 6 | (byte(2) & 63u));
    return true;
  }
  bool has(std::size_t bit) const { return (beginnings_[bit / 64] >> bit % 64 & 1u) != 0; }
  bool begins_any(std::string_view bytes) const;
  void set_beginnings();

  std::vector<std::uint32_t> units_;
  std::string replacements_;
  static constexpr std::size_t kPlane = 0x10000;
  std::vector<std::uint64_t> beginnings_;  // a bit for each character of two or three bytes, then for each two bytes of ASCII
};

}  // namespace headlight::text
