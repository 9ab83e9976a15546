// byte_level: pieces are written in the byte alphabet (engine/text/byte_alphabet.h), one character a byte. A piece with another
// character, such as an added token, is its own text.
#include "engine/text/byte_alphabet.h"
#include "engine/tokenizers/decoders/decoder.h"

namespace headlight::tokenizers {
namespace {

class ByteLevel final : public Decoder {
 public:
  std::string decode(const std::vector<std::string_view>& pieces) const override {
    std::string bytes;
    for (const std::string_view piece : pieces) bytes += text_of(piece);
    return bytes;
  }
  bool may_cut() const override { return true; }
  std::string text_of(std::string_view piece) const override {
    return text::is_byte_pieces(piece) ? text::from_byte_pieces(piece) : std::string(piece);
  }
};

Result<std::shared_ptr<const Decoder>> make_byte_level(const Values&) {
  return std::shared_ptr<const Decoder>(std::make_shared<ByteLevel>());
}

}  // namespace

DecoderEntry byte_level_decoder() {
  return {"byte_level", "byte alphabet", "every character of a piece is a byte", "Radford et al. 2019 (GPT-2)",
          {},           make_byte_level};
}

}  // namespace headlight::tokenizers
