// metaspace: "▁" in a piece is a space; in the first piece it was put before the text and is left out.
#include "engine/tokenizers/decoders/decoder.h"

namespace headlight::tokenizers {
namespace {

class Metaspace final : public PieceDecoder {
 public:
  Metaspace(std::string sign, bool prepended) : sign_(std::move(sign)), prepended_(prepended) {}

  std::string decode(const std::vector<std::string_view>& pieces) const override {
    std::string text;
    for (std::size_t i = 0; i < pieces.size(); ++i) append(i == 0 && prepended_ ? "" : " ", pieces[i], text);
    return text;
  }
  void rewrite(std::vector<std::string>& pieces) const override {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      std::string text;
      append(i == 0 && prepended_ ? "" : " ", pieces[i], text);
      pieces[i] = std::move(text);
    }
  }
  std::string text_of(std::string_view piece) const override {
    std::string text;
    append(" ", piece, text);
    return text;
  }
  bool may_cut() const override { return false; }  // only the first piece loses it

 private:
  // Appends the piece with `space` for every sign.
  void append(std::string_view space, std::string_view piece, std::string& text) const {
    std::size_t at = 0;
    for (std::size_t found; (found = piece.find(sign_, at)) != std::string_view::npos; at = found + sign_.size()) {
      text += piece.substr(at, found - at);
      text += space;
    }
    text += piece.substr(at);
  }

  std::string sign_;
  bool prepended_;
};

Result<std::shared_ptr<const Decoder>> make_metaspace(const Values& values) {
  const auto sign = std::get<std::string>(values.at("sign"));
  if (sign.empty()) return invalid("'metaspace' has no sign for a space").at("sign").mend("give one such as ▁");
  return std::shared_ptr<const Decoder>(std::make_shared<Metaspace>(sign, std::get<bool>(values.at("prepended"))));
}

}  // namespace

DecoderEntry metaspace_decoder() {
  return {"metaspace",
          "SentencePiece's spaces",
          "▁ is a space, and nothing in the first piece",
          "Kudo and Richardson 2018 (SentencePiece)",
          {{"sign", "sign", "What stands for a space.", Parameter::Kind::text, std::string("▁"), 0, 0, {}},
           {"prepended", "prepended", "Whether one was put before the text.", Parameter::Kind::boolean, true, 0, 0, {}}},
          make_metaspace};
}

}  // namespace headlight::tokenizers
