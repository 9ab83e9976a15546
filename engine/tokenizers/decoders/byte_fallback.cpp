// byte_fallback: a piece such as "<0xE2>" is one byte, every other piece is its own text.
#include "engine/tokenizers/decoders/decoder.h"
#include "engine/tokenizers/models/byte_tokens.h"

namespace headlight::tokenizers {
namespace {

class ByteFallback final : public Decoder {
 public:
  std::string decode(const std::vector<std::string_view>& pieces) const override {
    std::string bytes;
    for (const std::string_view piece : pieces) {
      if (const int byte = byte_of_token(piece); byte >= 0) {
        bytes.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
      } else {
        bytes += piece;
      }
    }
    return bytes;
  }
  bool may_cut() const override { return true; }
  std::string display(std::string_view piece) const override {
    if (const int byte = byte_of_token(piece); byte >= 0) return text::display_byte(static_cast<unsigned char>(byte));
    return text::display_text(piece);
  }
};

Result<std::shared_ptr<const Decoder>> make_byte_fallback(const Values&) {
  return std::shared_ptr<const Decoder>(std::make_shared<ByteFallback>());
}

}  // namespace

DecoderEntry byte_fallback_decoder() {
  return {"byte_fallback",   "byte tokens", "<0xE2> is one byte", "Kudo and Richardson 2018 (SentencePiece)", {},
          make_byte_fallback};
}

}  // namespace headlight::tokenizers
