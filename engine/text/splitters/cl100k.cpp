// cl100k: the pattern of OpenAI's cl100k_base (GPT-4). The words cover the text.
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
// Bytes that are no UTF-8 count as neither letter, number nor space.
#include <algorithm>
#include <initializer_list>

#include "engine/text/splitters/character_classes.h"
#include "engine/text/splitters/splitter.h"

namespace headlight::text {
namespace {

class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text), size_(static_cast<std::int64_t>(text.size())) {}

  // The end of the word that begins at `at`; the alternatives of the pattern in their order.
  std::int64_t end_of(std::int64_t at) const {
    const char first = text_[static_cast<std::size_t>(at)];
    if (first == '\'')
      if (const std::int64_t end = contraction(at); end > at) return end;
    const Classified here = classes_.at(text_, at);
    if (here.kind == CharacterClass::letter) return classes_.run_end(text_, at + here.length, here.kind);
    // A character that is no letter, number or newline may stand before the letters, such as a space or a quotation mark.
    const std::int64_t second = at + here.length;
    const Classified next = second < size_ ? classes_.at(text_, second) : Classified{CharacterClass::space, 0};
    if (here.kind != CharacterClass::number && !newline(at) && next.kind == CharacterClass::letter)
      return classes_.run_end(text_, second + next.length, next.kind);
    if (here.kind == CharacterClass::number) {
      std::int64_t end = second;
      for (int i = 1; i < 3 && end < size_; ++i) {
        const Classified digit = classes_.at(text_, end);
        if (digit.kind != CharacterClass::number) break;
        end += digit.length;
      }
      return end;
    }
    const bool spaced = first == ' ' && next.kind == CharacterClass::other && second < size_;
    if (spaced || here.kind == CharacterClass::other) {
      std::int64_t end = classes_.run_end(text_, spaced ? second : at, CharacterClass::other);
      while (end < size_ && newline(end)) ++end;
      return end;
    }
    // Whitespace: up to the last newline of the run; else the run gives its last one back if a word follows.
    std::int64_t end = at, last = at, behind_newline = at;
    while (end < size_) {
      const Classified space = classes_.at(text_, end);
      if (space.kind != CharacterClass::space) break;
      last = end;
      end += space.length;
      if (newline(last)) behind_newline = end;
    }
    if (behind_newline > at) return behind_newline;
    return end < size_ && last > at ? last : end;
  }

 private:
  bool newline(std::int64_t i) const {
    return text_[static_cast<std::size_t>(i)] == '\r' || text_[static_cast<std::size_t>(i)] == '\n';
  }
  std::int64_t contraction(std::int64_t begin) const {
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

  const CharacterClasses& classes_ = CharacterClasses::get();
  std::string_view text_;
  std::int64_t size_;
};

std::vector<Span> split_cl100k(std::string_view text) {
  const Cutter cutter(text);
  std::vector<Span> spans;
  spans.reserve(text.size() / 4 + 1);
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
