// gpt2: GPT-2's pattern. The words cover the text; one takes a space before it along.
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// Bytes that are no UTF-8 count as neither letter, number nor space.
#include <initializer_list>

#include "engine/text/splitters/character_classes.h"
#include "engine/text/splitters/splitter.h"

namespace headlight::text {
namespace {

// The length of an English contraction's ending at the apostrophe `at`, or 0. No ending begins another, so their order does not
// matter.
std::int64_t contraction(std::string_view text, std::int64_t at) {
  const std::string_view rest = text.substr(static_cast<std::size_t>(at) + 1);
  for (const std::string_view ending : {"s", "t", "re", "ve", "m", "ll", "d"})
    if (rest.starts_with(ending)) return 1 + static_cast<std::int64_t>(ending.size());
  return 0;
}

std::vector<Span> split_gpt2(std::string_view text) {
  const CharacterClasses& classes = CharacterClasses::get();
  const auto size = static_cast<std::int64_t>(text.size());
  std::vector<Span> spans;
  spans.reserve(text.size() / 4 + 1);
  for (std::int64_t at = 0; at < size;) {
    const char first = text[static_cast<std::size_t>(at)];
    std::int64_t end = at;
    if (const std::int64_t length = first == '\'' ? contraction(text, at) : 0) {
      end = at + length;
    } else {
      // " ?X+": an optional ASCII space, then a run of letters, numbers or others.
      const std::int64_t word = first == ' ' ? at + 1 : at;
      const Classified here = word < size ? classes.at(text, word) : Classified{CharacterClass::space, 0};
      if (here.kind != CharacterClass::space) {
        end = classes.run_end(text, word + here.length, here.kind);
      } else {
        // "\s+(?!\S)": a run of spaces gives its last one back if a word follows, unless it is that one alone.
        std::int64_t last = at;
        while (end < size) {
          const Classified space = classes.at(text, end);
          if (space.kind != CharacterClass::space) break;
          last = end;
          end += space.length;
        }
        if (end < size && last > at) end = last;
      }
    }
    spans.push_back({at, end});
    at = end;
  }
  return spans;
}

class Gpt2 final : public Splitter {
 public:
  void split(Split& split) const override { refine(split, split_gpt2); }
  bool may_cut() const override { return true; }
};

Result<std::shared_ptr<const Splitter>> make_gpt2(const Values&) {
  return std::shared_ptr<const Splitter>(std::make_shared<Gpt2>());
}

}  // namespace

SplitterEntry gpt2() {
  return {"gpt2",
          "GPT-2's pattern",
          "runs of letters, of digits or of other marks, each with one space before it",
          "Radford et al. 2019 (GPT-2)",
          {},
          make_gpt2};
}

}  // namespace headlight::text
