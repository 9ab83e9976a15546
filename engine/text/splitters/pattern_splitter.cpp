// pattern: cut by the matches of a regular expression (what published files call Split, Whitespace, Digits or Punctuation).
#include "engine/text/patterns/pattern.h"
#include "engine/text/splitters/splitter.h"

namespace headlight::text {
namespace {

class PatternSplitter final : public Splitter {
 public:
  PatternSplitter(Pattern pattern, Matches matches, bool inverted)
      : pattern_(std::move(pattern)), matches_(matches), inverted_(inverted) {}

  void split(Split& split) const override {
    refine(split, [&](std::string_view text) {
      std::vector<Stretch> stretches = pattern_.stretches(text);
      if (inverted_)
        for (Stretch& one : stretches) one.match = !one.match;
      return words_of(stretches, matches_);
    });
  }
  bool may_cut() const override { return false; }  // a pattern may look across any place

 private:
  Pattern pattern_;
  Matches matches_;
  bool inverted_;
};

Result<std::shared_ptr<const Splitter>> make_pattern(const Values& values) {
  HL_ASSIGN(Pattern made, Pattern::of(std::get<std::string>(values.at("expression"))));
  const Matches matches = *matches_named(std::get<std::string>(values.at("matches")));
  return std::shared_ptr<const Splitter>(
      std::make_shared<PatternSplitter>(std::move(made), matches, std::get<bool>(values.at("inverted"))));
}

}  // namespace

SplitterEntry pattern() {
  return {
      "pattern",
      "regular expression",
      "words by the matches of a regular expression",
      "Hugging Face tokenizers, Split",
      {{"expression", "expression", "The regular expression.", Parameter::Kind::text, std::string("\\w+|[^\\w\\s]+"), 0, 0, {}},
       {"matches",
        "matches",
        "What becomes of matches: they stand alone, are left out, join what is before or behind them, or join each other.",
        Parameter::Kind::choice,
        std::string("isolated"),
        0,
        0,
        {"isolated", "removed", "with_previous", "with_next", "contiguous"}},
       {"inverted",
        "inverted",
        "Whether what lies between the matches counts as the matches.",
        Parameter::Kind::boolean,
        false,
        0,
        0,
        {}}},
      make_pattern};
}

}  // namespace headlight::text
