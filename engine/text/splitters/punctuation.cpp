// punctuation: cut by characters of punctuation, those that BERT's tokenizers know.
#include "engine/text/patterns/pattern.h"
#include "engine/text/splitters/splitter.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

class Punctuation final : public Splitter {
 public:
  explicit Punctuation(Matches matches) : matches_(matches) {}

  void split(Split& split) const override {
    refine(split, [&](std::string_view text) {
      std::vector<Stretch> stretches;
      for_each_code_point(text, [&](std::int64_t at, const CodePoint& point) {
        const bool match = point.valid && is_punctuation(point.value);
        if (match || stretches.empty() || stretches.back().match)
          stretches.push_back({{at, at + point.length}, match});
        else
          stretches.back().span.end += point.length;
      });
      return words_of(stretches, matches_);
    });
  }
  bool may_cut() const override { return false; }  // what stands on the other side of a cut may join

 private:
  Matches matches_;
};

Result<std::shared_ptr<const Splitter>> make_punctuation(const Values& values) {
  return std::shared_ptr<const Splitter>(
      std::make_shared<Punctuation>(*matches_named(std::get<std::string>(values.at("matches")))));
}

}  // namespace

SplitterEntry punctuation() {
  return {"punctuation",
          "punctuation",
          "cut by characters of punctuation",
          "Hugging Face tokenizers, Punctuation",
          {{"matches",
            "punctuation",
            "What becomes of it: it stands alone, is left out, joins what is before or behind it, or joins each other.",
            Parameter::Kind::choice,
            std::string("isolated"),
            0,
            0,
            {"isolated", "removed", "with_previous", "with_next", "contiguous"}}},
          make_punctuation};
}

}  // namespace headlight::text
