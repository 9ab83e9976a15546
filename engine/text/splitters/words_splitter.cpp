// words: cut at whitespace, which is left out; punctuation stands alone, and so do Chinese characters unless they are said to
// join.
#include "engine/text/splitters/splitter.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

std::vector<Span> split_words(std::string_view text, bool ideographs) {
  std::vector<Span> spans;
  std::int64_t start = -1;  // of the word being read
  const auto close = [&](std::int64_t end) {
    if (start >= 0) spans.push_back({start, end});
    start = -1;
  };
  for_each_code_point(text, [&](std::int64_t at, const CodePoint& point) {
    if (point.valid && is_whitespace(point.value)) {
      close(at);
    } else if (point.valid && (is_punctuation(point.value) || (ideographs && is_ideograph(point.value)))) {
      close(at);
      spans.push_back({at, at + point.length});
    } else if (start < 0) {
      start = at;
    }
  });
  close(static_cast<std::int64_t>(text.size()));
  return spans;
}

class Words final : public Splitter {
 public:
  explicit Words(bool ideographs) : ideographs_(ideographs) {}

  void split(Split& split) const override {
    refine(split, [&](std::string_view text) { return split_words(text, ideographs_); });
  }
  bool may_cut() const override { return true; }

 private:
  bool ideographs_;
};

Result<std::shared_ptr<const Splitter>> make_words(const Values& values) {
  return std::shared_ptr<const Splitter>(std::make_shared<Words>(std::get<bool>(values.at("ideographs"))));
}

}  // namespace

SplitterEntry words() {
  return {"words",
          "words",
          "cut at whitespace, which is left out; punctuation and Chinese characters alone",
          "Devlin et al. 2018 (BERT), basic tokenisation",
          {{"ideographs",
            "Chinese characters alone",
            "Whether every Chinese character is a word.",
            Parameter::Kind::boolean,
            true,
            0,
            0,
            {},
            nullptr,
            true}},
          make_words};
}

}  // namespace headlight::text
