// byte_alphabet: every byte as its visible character (byte_alphabet.h), so that a model over characters reads bytes.
#include "engine/text/byte_alphabet.h"
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

class ByteAlphabet final : public Normalizer {
 public:
  void apply(Normalized& text) const override {
    Rewrite result(text);
    for_each_code_point(text.text(), [&](std::int64_t at, const CodePoint& point) {
      for (std::int64_t i = at; i < at + point.length; ++i)
        result.put(byte_piece(static_cast<unsigned char>(text.text()[static_cast<std::size_t>(i)])), text.source(i, i + 1));
    });
    result.into(text);
  }
  bool may_cut() const override { return false; }  // behind it no space is left to cut at
};

Result<std::shared_ptr<const Normalizer>> make_byte_alphabet(const Values&) {
  return std::shared_ptr<const Normalizer>(std::make_shared<ByteAlphabet>());
}

}  // namespace

NormalizerEntry byte_alphabet() {
  return {"byte_alphabet",   "byte alphabet", "every byte as its visible character", "Radford et al. 2019 (GPT-2)", {},
          make_byte_alphabet};
}

}  // namespace headlight::text
