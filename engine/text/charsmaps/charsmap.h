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
  std::optional<Found> shortest(std::string_view text) const { return find(text, true); }
  std::optional<Found> longest(std::string_view text) const { return find(text, false); }
  // All texts of these characters (of ASCII) alone that are replaced; nothing if there are more than a few.
  std::optional<std::vector<std::string>> texts_of(std::string_view characters) const;
  // Those of these characters (of ASCII) that no text of more than one byte has that is replaced.
  std::string standing_alone(std::string_view characters) const;
  // Whether a replacement has this text.
  bool makes(std::string_view text) const { return replacements_.find(text) != std::string::npos; }

 private:
  std::optional<Found> find(std::string_view text, bool shortest) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace headlight::text
