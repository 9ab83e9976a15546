// clean_text: what BERT does first. Controls, format and private characters and U+FFFD are left out; every whitespace, newlines
// and tabs too, becomes a space.
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

class CleanText final : public Normalizer {
 public:
  void apply(Normalized& text) const override {
    Rewrite result(text);
    for_each_code_point(text.text(), [&](std::int64_t at, const CodePoint& point) {
      const bool is_break = point.value == '\t' || point.value == '\n' || point.value == '\r';
      if (point.valid && !is_break && (point.value == 0xfffd || is_control(point.value))) return;
      if (point.valid && is_whitespace(point.value))
        result.put(" ", text.source(at, at + point.length));
      else
        result.keep(at, at + point.length);
    });
    result.into(text);
  }
  // False: a part may end in characters that are left out, and then in a space.
  bool may_cut() const override { return false; }
};

Result<std::shared_ptr<const Normalizer>> make_clean_text(const Values&) {
  return std::shared_ptr<const Normalizer>(std::make_shared<CleanText>());
}

}  // namespace

NormalizerEntry clean_text() {
  return {"clean_text", "cleaned",      "leaves out controls; whitespace becomes a space", "Devlin et al. 2018 (BERT)",
          {},           make_clean_text};
}

}  // namespace headlight::text
