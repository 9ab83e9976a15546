// cl100k: the pattern of OpenAI's cl100k_base (GPT-4). The words cover the text.
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
// Bytes that are no UTF-8 count as neither letter, number nor space.
#include <algorithm>
#include <initializer_list>

#include "engine/text/splitters/splitter.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text), size_(static_cast<std::int64_t>(text.size())) {}

  // The end of the word that begins at `at`; the alternatives of the pattern in their order.
  std::int64_t end_of(std::int64_t at) const {
    if (const std::int64_t end = contraction(at); end > at) return end;
    // A character that is no letter, number or newline may stand before the letters, such as a space or a quotation mark.
    const std::int64_t second = next(at);
    if (letter(at)) return run(at, &Cutter::letter);
    if (!number(at) && !newline(at) && second < size_ && letter(second)) return run(second, &Cutter::letter);
    if (number(at)) {
      std::int64_t end = at;
      for (int i = 0; i < 3 && end < size_ && number(end); ++i) end = next(end);
      return end;
    }
    const std::int64_t marks = text_[static_cast<std::size_t>(at)] == ' ' ? at + 1 : at;
    if (marks < size_ && mark(marks)) return run(run(marks, &Cutter::mark), &Cutter::newline);
    // Whitespace: up to the last newline of the run; else the run gives its last one back if a word follows.
    const std::int64_t end = run(at, &Cutter::space);
    std::int64_t last = at, behind_newline = at;
    for (std::int64_t i = at; i < end; i = next(i)) {
      last = i;
      if (newline(i)) behind_newline = next(i);
    }
    if (behind_newline > at) return behind_newline;
    return end < size_ && last > at ? last : end;
  }

 private:
  CodePoint at(std::int64_t i) const { return decode_at(text_, i); }
  std::int64_t next(std::int64_t i) const { return i + at(i).length; }
  bool letter(std::int64_t i) const { return at(i).valid && is_letter(at(i).value); }
  bool number(std::int64_t i) const { return at(i).valid && is_number(at(i).value); }
  bool space(std::int64_t i) const { return at(i).valid && is_whitespace(at(i).value); }
  bool newline(std::int64_t i) const {
    return text_[static_cast<std::size_t>(i)] == '\r' || text_[static_cast<std::size_t>(i)] == '\n';
  }
  bool mark(std::int64_t i) const { return !letter(i) && !number(i) && !space(i); }
  std::int64_t run(std::int64_t i, bool (Cutter::*is)(std::int64_t) const) const {
    while (i < size_ && (this->*is)(i)) i = next(i);
    return i;
  }
  std::int64_t contraction(std::int64_t begin) const {
    if (text_[static_cast<std::size_t>(begin)] != '\'') return begin;
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    const std::string_view rest = text_.substr(static_cast<std::size_t>(begin) + 1);
    for (const std::string_view ending : {"s", "t", "re", "ve", "m", "ll", "d"})
      if (rest.size() >= ending.size() &&
          std::equal(ending.begin(), ending.end(), rest.begin(), [&](char a, char b) { return a == lower(b); }))
        return begin + 1 + static_cast<std::int64_t>(ending.size());
    // Ignoring case, "s" is also the long s (U+017F).
    if (rest.starts_with("\u017f")) return begin + 3;
    return begin;
  }

  std::string_view text_;
  std::int64_t size_;
};

std::vector<Span> split_cl100k(std::string_view text) {
  const Cutter cutter(text);
  std::vector<Span> spans;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(text.size());) {
    const std::int64_t end = cutter.end_of(at);
    spans.push_back({at, end});
    at = end;
  }
  return spans;
}

class Cl100k final : public Splitter {
 public:
  void split(Split& split) const override { refine(split, split_cl100k); }
  // False: newlines belong to the marks before them, and a text is cut there.
  bool may_cut() const override { return false; }
};

Result<std::shared_ptr<const Splitter>> make_cl100k(const Values&) {
  return std::shared_ptr<const Splitter>(std::make_shared<Cl100k>());
}

}  // namespace

SplitterEntry cl100k() {
  return {"cl100k",
          "cl100k's pattern",
          "runs of letters with one mark before them, of at most three digits, or of marks with the newlines behind them",
          "OpenAI tiktoken, cl100k_base",
          {},
          make_cl100k};
}

}  // namespace headlight::text
