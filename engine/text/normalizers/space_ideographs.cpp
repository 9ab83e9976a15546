// space_ideographs: a space before and behind every Chinese character, so that a splitter at spaces takes each for a word (BERT).
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

// As in the library tokenizers, whose table of Chinese characters begins extension E at U+2B920 and not at U+2B820.
bool stands_apart(char32_t c) { return is_ideograph(c) && (c < 0x2B820 || c > 0x2B91F); }

class SpaceIdeographs final : public Normalizer {
 public:
  void apply(Normalized& text) const override {
    const std::string& input = text.text();
    if (is_ascii(input)) return;
    Rewrite result(text);
    for_each_code_point(input, [&](std::int64_t at, const CodePoint& point) {
      const std::int64_t next = at + point.length;
      if (!point.valid || !stands_apart(point.value)) return result.keep(at, next);
      const Span source = text.source(at, next);
      result.put(" ", source);
      result.keep(at, next);
      result.put(" ", source);
    });
    result.into(text);
  }
  // False: a part may end in a Chinese character, and then in a space.
  bool may_cut() const override { return false; }
};

Result<std::shared_ptr<const Normalizer>> make_space_ideographs(const Values&) {
  return std::shared_ptr<const Normalizer>(std::make_shared<SpaceIdeographs>());
}

}  // namespace

NormalizerEntry space_ideographs() {
  return {"space_ideographs",
          "Chinese characters apart",
          "a space before and behind every Chinese character",
          "Devlin et al. 2018 (BERT)",
          {},
          make_space_ideographs};
}

}  // namespace headlight::text
