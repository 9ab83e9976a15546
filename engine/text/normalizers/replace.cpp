// replace: every occurrence of one text, or every match of a regular expression, becomes another text, from the left, without
// overlap.
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/patterns/pattern.h"

namespace headlight::text {
namespace {

// What stands in the place of [start, end) comes from the last character there, as in the library tokenizers.
Span source_of(const Normalized& text, std::int64_t start, std::int64_t end) {
  if (start == end) return {0, 0};  // of an empty match
  std::int64_t last = end - 1;
  while (last > start && (static_cast<unsigned char>(text.text()[static_cast<std::size_t>(last)]) & 0xC0u) == 0x80) --last;
  return text.source(last, end);
}

class Replace final : public Normalizer {
 public:
  Replace(std::string pattern, std::string content) : pattern_(std::move(pattern)), content_(std::move(content)) {}

  void apply(Normalized& text) const override {
    const std::string& input = text.text();
    if (input.find(pattern_) == std::string::npos) return;
    Rewrite result(text);
    std::size_t at = 0;
    for (std::size_t found; (found = input.find(pattern_, at)) != std::string::npos; at = found + pattern_.size()) {
      const auto start = static_cast<std::int64_t>(found), end = static_cast<std::int64_t>(found + pattern_.size());
      result.keep(static_cast<std::int64_t>(at), start);
      result.put(content_, source_of(text, start, end));
    }
    result.keep(static_cast<std::int64_t>(at), static_cast<std::int64_t>(input.size()));
    result.into(text);
  }
  // The pattern may lie across a cut, and the content may be a space that then touches the newline after the cut.
  bool may_cut() const override { return false; }

 private:
  std::string pattern_, content_;
};

class ReplaceMatches final : public Normalizer {
 public:
  ReplaceMatches(Pattern pattern, std::string content) : pattern_(std::move(pattern)), content_(std::move(content)) {}

  void apply(Normalized& text) const override {
    Rewrite result(text);
    for (const Stretch& one : pattern_.stretches(text.text())) {
      if (one.match)
        result.put(content_, source_of(text, one.span.start, one.span.end));
      else
        result.keep(one.span.start, one.span.end);
    }
    result.into(text);
  }
  bool may_cut() const override { return false; }

 private:
  Pattern pattern_;
  std::string content_;
};

Result<std::shared_ptr<const Normalizer>> make_replace(const Values& values) {
  const auto pattern = std::get<std::string>(values.at("pattern"));
  if (pattern.empty())
    return invalid("'replace' has nothing to look for").at("pattern").mend("give a text of at least one character");
  const auto content = std::get<std::string>(values.at("content"));
  if (!std::get<bool>(values.at("regular")))
    return std::shared_ptr<const Normalizer>(std::make_shared<Replace>(pattern, content));
  HL_ASSIGN(Pattern made, Pattern::of(pattern));
  return std::shared_ptr<const Normalizer>(std::make_shared<ReplaceMatches>(std::move(made), content));
}

}  // namespace

NormalizerEntry replace() {
  return {"replace",
          "replace",
          "every occurrence of `pattern` becomes `content`",
          "",
          {{"pattern", "pattern", "The text that is looked for.", Parameter::Kind::text, std::string(), 0, 0, {}},
           {"content", "content", "What stands in its place.", Parameter::Kind::text, std::string(), 0, 0, {}},
           {"regular",
            "regular",
            "Whether the pattern is a regular expression.",
            Parameter::Kind::boolean,
            false,
            0,
            0,
            {},
            nullptr,
            true}},
          make_replace};
}

}  // namespace headlight::text
