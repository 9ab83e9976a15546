// prefix_space: a space before every word that has none, so that the first word of a text is cut like the others
// (add_prefix_space).
#include "engine/text/splitters/splitter.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

class PrefixSpace final : public Splitter {
 public:
  void split(Split& split) const override {
    Rewrite result(split.text);
    const std::string& input = split.text.text();
    for (Span& word : split.words) {
      const std::int64_t start = result.size();
      if (input[static_cast<std::size_t>(word.start)] != ' ')  // as if it came from the first character
        result.put(" ", split.text.source(word.start, word.start + decode_at(input, word.start).length));
      result.keep(word.start, word.end);
      word = {start, result.size()};
    }
    result.into(split.text);
  }
  bool may_cut() const override { return false; }  // every part would get one
};

Result<std::shared_ptr<const Splitter>> make_prefix_space(const Values&) {
  return std::shared_ptr<const Splitter>(std::make_shared<PrefixSpace>());
}

}  // namespace

SplitterEntry prefix_space() {
  return {"prefix_space",   "space before the text", "a space before a text that begins with none", "Hugging Face tokenizers", {},
          make_prefix_space};
}

}  // namespace headlight::text
