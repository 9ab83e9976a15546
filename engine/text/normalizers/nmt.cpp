// nmt: what SentencePiece does for translation. Controls are left out; newlines, tabs, zero-width characters, byte order marks
// and U+FFFD become spaces.
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

bool is_unwanted(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
}

bool becomes_space(char32_t c) {
  return c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 || (c >= 0x200B && c <= 0x200F) || c == 0x2028 ||
         c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
}

class Nmt final : public Normalizer {
 public:
  void apply(Normalized& text) const override {
    Rewrite result(text);
    for_each_code_point(text.text(), [&](std::int64_t at, const CodePoint& point) {
      const std::int64_t next = at + point.length;
      if (point.valid && is_unwanted(point.value)) return;
      if (point.valid && becomes_space(point.value))
        result.put(" ", text.source(at, next));
      else
        result.keep(at, next);
    });
    result.into(text);
  }
  // False: a part may end in characters that are left out, and then in a space.
  bool may_cut() const override { return false; }
};

Result<std::shared_ptr<const Normalizer>> make_nmt(const Values&) {
  return std::shared_ptr<const Normalizer>(std::make_shared<Nmt>());
}

}  // namespace

NormalizerEntry nmt() {
  return {"nmt",
          "for translation",
          "leaves out controls; newlines and zero-width characters become spaces",
          "Kudo and Richardson 2018 (SentencePiece)",
          {},
          make_nmt};
}

}  // namespace headlight::text
