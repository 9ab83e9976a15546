// replace: in every piece, every occurrence of one text, or every match of a regular expression, becomes another text.
#include "engine/text/patterns/pattern.h"
#include "engine/tokenizers/decoders/decoder.h"

namespace headlight::tokenizers {
namespace {

class Replace final : public PieceDecoder {
 public:
  Replace(std::string pattern, std::string content, std::optional<text::Pattern> regular)
      : pattern_(std::move(pattern)), content_(std::move(content)), regular_(std::move(regular)) {}

  void rewrite(std::vector<std::string>& pieces) const override {
    for (std::string& piece : pieces) piece = text_of(piece);
  }
  std::string text_of(std::string_view piece) const override {
    std::string made;
    if (regular_) {
      for (const text::Stretch& one : regular_->stretches(piece))
        made += one.match ? std::string_view(content_)
                          : piece.substr(static_cast<std::size_t>(one.span.start),
                                         static_cast<std::size_t>(one.span.end - one.span.start));
      return made;
    }
    std::size_t at = 0;
    for (std::size_t found; (found = piece.find(pattern_, at)) != std::string_view::npos; at = found + pattern_.size())
      made += std::string(piece.substr(at, found - at)) + content_;
    return made + std::string(piece.substr(at));
  }
  bool may_cut() const override { return true; }

 private:
  std::string pattern_, content_;
  std::optional<text::Pattern> regular_;
};

Result<std::shared_ptr<const Decoder>> make_replace(const Values& values) {
  const auto pattern = std::get<std::string>(values.at("pattern")), content = std::get<std::string>(values.at("content"));
  if (pattern.empty())
    return invalid("'replace' has nothing to look for").at("pattern").mend("give a text of at least one character");
  std::optional<text::Pattern> regular;
  if (std::get<bool>(values.at("regular"))) {
    HL_ASSIGN(regular, text::Pattern::of(pattern));
  }
  return std::shared_ptr<const Decoder>(std::make_shared<Replace>(pattern, content, std::move(regular)));
}

}  // namespace

DecoderEntry replace_decoder() {
  return {"replace",
          "replace",
          "every occurrence of `pattern` becomes `content`",
          "Hugging Face tokenizers",
          {{"pattern", "pattern", "The text that is looked for.", Parameter::Kind::text, std::string("▁"), 0, 0, {}},
           {"content", "content", "What stands in its place.", Parameter::Kind::text, std::string(" "), 0, 0, {}},
           {"regular", "regular", "Whether the pattern is a regular expression.", Parameter::Kind::boolean, false, 0, 0, {}}},
          make_replace};
}

}  // namespace headlight::tokenizers
