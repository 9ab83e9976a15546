// sentence: the text of SentencePiece's pieces. "▁" is a space, byte tokens are their bytes, the unknown piece is a sign of its
// own, and the space that was put before the text is left out.
#include "engine/tokenizers/decoders/decoder.h"
#include "engine/tokenizers/models/byte_tokens.h"

namespace headlight::tokenizers {
namespace {

constexpr std::string_view kSentenceSign = "▁";

class SentenceDecoder final : public PieceDecoder {
 public:
  SentenceDecoder(std::string unknown, std::string surface, std::string removes, bool has_bytes)
      : unknown_(std::move(unknown)), surface_(std::move(surface)), removes_(std::move(removes)), has_bytes_(has_bytes) {}

  void rewrite(std::vector<std::string>& pieces) const override {
    bool begun = removes_ == "none";
    for (std::string& piece : pieces) {
      std::string_view rest = piece;
      if (!begun && rest.starts_with(kSentenceSign)) {
        rest.remove_prefix(kSentenceSign.size());
        begun = removes_ == "one";
      }
      piece = text_of(rest);
      begun = begun || !piece.empty();
    }
  }
  std::string text_of(std::string_view piece) const override {
    if (piece == unknown_) return surface_;
    if (const int byte = has_bytes_ ? byte_of_token(piece) : -1; byte >= 0)
      return std::string(1, static_cast<char>(static_cast<unsigned char>(byte)));
    std::string text;
    for (std::size_t at = 0; at < piece.size();) {
      const bool sign = piece.substr(at).starts_with(kSentenceSign);
      text += sign ? std::string_view(" ") : piece.substr(at, 1);
      at += sign ? kSentenceSign.size() : 1;
    }
    return text;
  }
  bool may_cut() const override { return false; }  // the first piece loses its space

 private:
  std::string unknown_, surface_, removes_;
  bool has_bytes_;
};

Result<std::shared_ptr<const Decoder>> make_sentence(const Values& values) {
  return std::shared_ptr<const Decoder>(
      std::make_shared<SentenceDecoder>(std::get<std::string>(values.at("unknown")), std::get<std::string>(values.at("surface")),
                                        std::get<std::string>(values.at("removes")), std::get<bool>(values.at("bytes"))));
}

}  // namespace

DecoderEntry sentence_decoder() {
  return {"sentence",
          "SentencePiece's text",
          "▁ is a space, none at the beginning",
          "Kudo and Richardson 2018 (SentencePiece)",
          {{"unknown", "unknown", "The piece for what is unknown.", Parameter::Kind::text, std::string("<unk>"), 0, 0, {}},
           {"surface", "its sign", "What is written for it.", Parameter::Kind::text, std::string(" \u2047 "), 0, 0, {}},
           {"removes",
            "spaces removed",
            "Of the spaces at the beginning: none, one, or all.",
            Parameter::Kind::choice,
            std::string("one"),
            0,
            0,
            {"none", "one", "all"}},
           {"bytes",
            "byte tokens",
            "Whether <0xE2> is a byte; else it is a word like others.",
            Parameter::Kind::boolean,
            true,
            0,
            0,
            {}}},
          make_sentence};
}

}  // namespace headlight::tokenizers
