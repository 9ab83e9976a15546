// byte_fallback: a piece such as "<0xE2>" is one byte, and bytes behind each other are one piece; every other piece is its own
// text.
#include "engine/tokenizers/decoders/decoder.h"
#include "engine/tokenizers/models/byte_tokens.h"

namespace headlight::tokenizers {
namespace {

class ByteFallback final : public PieceDecoder {
 public:
  void rewrite(std::vector<std::string>& pieces) const override {
    std::vector<std::string> made;
    bool after_byte = false;
    for (std::string& piece : pieces) {
      const int byte = byte_of_any_token(piece);
      if (byte < 0) {
        made.push_back(std::move(piece));
      } else {
        if (!after_byte) made.emplace_back();
        made.back().push_back(static_cast<char>(static_cast<unsigned char>(byte)));
      }
      after_byte = byte >= 0;
    }
    pieces = std::move(made);
  }
  bool may_cut() const override { return true; }
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
