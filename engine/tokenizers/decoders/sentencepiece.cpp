// sentencepiece: "▁" in a piece is a space and "<0xE2>" one byte; the space that was put before the text is taken away again.
#include "engine/tokenizers/decoders/decoder.h"
#include "engine/tokenizers/models/byte_tokens.h"

namespace headlight::tokenizers {
namespace {

constexpr std::string_view kSpace = "▁";

std::string with_spaces(std::string_view piece) {
  std::string text;
  for (std::size_t at = 0; at < piece.size();) {
    const bool space = piece.substr(at).starts_with(kSpace);
    text += space ? ' ' : piece[at];
    at += space ? kSpace.size() : 1;
  }
  return text;
}

class SentencePiece final : public Decoder {
 public:
  std::string decode(const std::vector<std::string_view>& pieces) const override {
    std::string text;
    for (const std::string_view piece : pieces) {
      if (const int byte = byte_of_token(piece); byte >= 0)
        text.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
      else
        text += with_spaces(piece);
    }
    return text.starts_with(' ') ? text.substr(1) : text;
  }
  bool may_cut() const override { return false; }  // only the first space goes
  std::string display(std::string_view piece) const override {
    if (const int byte = byte_of_token(piece); byte >= 0) return text::display_byte(static_cast<unsigned char>(byte));
    return text::display_text(with_spaces(piece));
  }
};

Result<std::shared_ptr<const Decoder>> make_sentencepiece(const Values&) {
  return std::shared_ptr<const Decoder>(std::make_shared<SentencePiece>());
}

}  // namespace

DecoderEntry sentencepiece_decoder() {
  return {"sentencepiece",   "SentencePiece", "▁ is a space, <0xE2> one byte", "Kudo and Richardson 2018 (SentencePiece)", {},
          make_sentencepiece};
}

}  // namespace headlight::tokenizers
