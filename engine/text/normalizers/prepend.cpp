// prepend: puts a text before the input, unless the input is empty. SentencePiece's "▁" before the first word is one use.
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

class Prepend final : public Normalizer {
 public:
  explicit Prepend(std::string content) : content_(std::move(content)) {}

  void apply(Normalized& text) const override {
    if (text.text().empty()) return;
    Rewrite result(text);
    result.put(content_, text.source(0, decode_at(text.text(), 0).length));  // as if it came from the first character
    result.keep(0, static_cast<std::int64_t>(text.text().size()));
    result.into(text);
  }
  bool may_cut() const override { return false; }  // every part would get it

 private:
  std::string content_;
};

Result<std::shared_ptr<const Normalizer>> make_prepend(const Values& values) {
  return std::shared_ptr<const Normalizer>(std::make_shared<Prepend>(std::get<std::string>(values.at("content"))));
}

}  // namespace

NormalizerEntry prepend() {
  return {"prepend",
          "prepend",
          "`content` before the text",
          "Kudo and Richardson 2018 (SentencePiece)",
          {{"content", "content", "What stands before the text.", Parameter::Kind::text, std::string(), 0, 0, {}}},
          make_prepend};
}

}  // namespace headlight::text
