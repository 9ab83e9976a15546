// Normalized: a text that stages change. It remembers for each of its bytes the bytes of the input that the byte came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/span.h"

namespace headlight::text {

class Normalized {
 public:
  explicit Normalized(std::string_view input) : text_(input) {}

  const std::string& text() const { return text_; }
  // The input bytes that bytes [start, end) of text() came from, a byte at least. [start, start) is the empty range where that
  // one began. A byte that was added, such as a prefix, comes from an empty range. If a stage put one space before the input,
  // source(1, 3) is [0, 2).
  Span source(std::int64_t start, std::int64_t end) const;
  // The bytes [start, end) of text() alone: slice(2, 4) of "abcd" is "cd", which still comes from the input's bytes 2 and 3.
  Normalized slice(std::int64_t start, std::int64_t end) const;
  // Changes bytes without moving them: `text` is as long as text(), and each byte keeps its source.
  void replace_in_place(std::string text) { text_ = std::move(text); }
  // Sets a new text and the input bytes that each of its bytes came from: sources.size() is text.size().
  // Of the input "ß", replace("ss", {{0, 2}, {0, 2}}) makes two letters that both came from its two bytes.
  void replace(std::string text, std::vector<Span> sources);

 private:
  std::string text_;
  std::vector<Span> sources_;  // one a byte of text_; empty: each byte stands for itself
};

// Rewrite: writes a new text for a Normalized from beginning to end. Of the input "a b", keep(0, 1), put("-", {1, 2}), keep(2, 3)
// and into(text) make "a-b", whose hyphen comes from the space.
class Rewrite {
 public:
  explicit Rewrite(const Normalized& from);

  void keep(std::int64_t start, std::int64_t end);  // bytes of from.text(), each with its own source
  void put(std::string_view text, Span source);     // new bytes, all with one source, which is a range of the input
  // The next character of from.text() becomes `c`, in the way of the library tokenizers: with change -2 the two characters behind
  // it vanish, and with change 1 no character is taken, and `c` comes from where the last one taken came from.
  // Of "ﬁ", change('f', 0) and change('i', 1) make two letters that both come from it.
  void change(char32_t c, std::int64_t change);
  std::int64_t size() const { return static_cast<std::int64_t>(text_.size()); }
  void into(Normalized& to) { to.replace(std::move(text_), std::move(sources_)); }

 private:
  Span take();  // the source of the next character of from_, which is then taken

  const Normalized& from_;
  std::int64_t taken_ = 0;  // bytes of from_.text() that keep() and change() have gone past
  Span last_;               // the source of the last character taken
  std::string text_;
  std::vector<Span> sources_;
};

}  // namespace headlight::text
