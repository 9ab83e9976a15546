// lowercase: simple case mapping (utf8proc's tables), and U+0130 as i and a dot above, its only mapping to two characters.
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

class Lowercase final : public Normalizer {
 public:
  void apply(Normalized& text) const override {
    const std::string& input = text.text();
    if (is_ascii(input)) {
      std::string small = input;
      for (char& c : small)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
      text.replace_in_place(std::move(small));
      return;
    }
    Rewrite result(text);
    for_each_code_point(input, [&](std::int64_t at, const CodePoint& point) {
      if (!point.valid) {
        result.keep(at, at + point.length);
      } else {
        result.put(point.value == 0x130 ? std::string("i\u0307") : to_utf8(to_lower(point.value)),
                   text.source(at, at + point.length));
      }
    });
    result.into(text);
  }
  bool may_cut() const override { return true; }
};

Result<std::shared_ptr<const Normalizer>> make_lowercase(const Values&) {
  return std::shared_ptr<const Normalizer>(std::make_shared<Lowercase>());
}

}  // namespace

NormalizerEntry lowercase() {
  return {"lowercase", "small letters", "every letter in its lower case", "The Unicode Standard, simple case mapping",
          {},          make_lowercase};
}

}  // namespace headlight::text
