// metaspace: SentencePiece's spaces. Every space becomes "▁", one may be put before the text, and the text may be cut before
// each.
#include <algorithm>

#include "engine/text/splitters/splitter.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

class Metaspace final : public Splitter {
 public:
  Metaspace(std::string sign, std::string prepend, bool cuts)
      : sign_(std::move(sign)), prepend_(std::move(prepend)), cuts_(cuts) {}

  void split(Split& split) const override {
    Rewrite result(split.text);
    const std::string& input = split.text.text();
    std::vector<Span> words;
    for (const Span& word : split.words) {
      const std::string_view old(input.data() + word.start, static_cast<std::size_t>(word.end - word.start));
      const Span first = split.text.source(word.start, word.start + decode_at(input, word.start).length);
      const bool begins = prepend_ == "always" || (prepend_ == "first" && split.at_start && first.start == 0);
      std::vector<std::int64_t> starts{result.size()};
      if (begins && !old.starts_with(' ') && !old.starts_with(sign_)) result.put(sign_, first);
      for (std::int64_t at = word.start; at < word.end;) {
        const std::string_view rest =
            std::string_view(input).substr(static_cast<std::size_t>(at), static_cast<std::size_t>(word.end - at));
        const bool sign = rest.starts_with(sign_);
        const std::int64_t next = at + (sign ? static_cast<std::int64_t>(sign_.size()) : 1);
        if (cuts_ && (sign || rest.front() == ' ') && result.size() > starts.front()) starts.push_back(result.size());
        if (rest.front() == ' ')
          result.put(sign_, split.text.source(at, next));
        else
          result.keep(at, next);
        at = next;
      }
      starts.push_back(result.size());
      for (std::size_t i = 0; i + 1 < starts.size(); ++i) words.push_back({starts[i], starts[i + 1]});
    }
    result.into(split.text);
    split.words = std::move(words);
  }
  bool may_cut() const override { return false; }  // every part would get the first sign

 private:
  std::string sign_, prepend_;
  bool cuts_;
};

Result<std::shared_ptr<const Splitter>> make_metaspace(const Values& values) {
  const auto sign = std::get<std::string>(values.at("sign"));
  if (sign.empty()) return invalid("'metaspace' has no sign for a space").at("sign").mend("give one such as ▁");
  return std::shared_ptr<const Splitter>(
      std::make_shared<Metaspace>(sign, std::get<std::string>(values.at("prepend")), std::get<bool>(values.at("cuts"))));
}

}  // namespace

SplitterEntry metaspace() {
  return {"metaspace",
          "SentencePiece's spaces",
          "spaces as ▁, one before the text; cut before each",
          "Kudo and Richardson 2018 (SentencePiece)",
          {{"sign", "sign", "What stands for a space.", Parameter::Kind::text, std::string("▁"), 0, 0, {}},
           {"prepend",
            "prepend",
            "Where one is put before a text: everywhere, at the beginning of the input alone, or nowhere.",
            Parameter::Kind::choice,
            std::string("always"),
            0,
            0,
            {"always", "first", "never"}},
           {"cuts", "cuts", "Whether the text is cut before each.", Parameter::Kind::boolean, true, 0, 0, {}}},
          make_metaspace};
}

}  // namespace headlight::text
