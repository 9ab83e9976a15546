// metaspace: "▁" in a piece is a space; in the first piece it was put before the text and is left out.
#include "engine/tokenizers/decoders/decoder.h"

namespace headlight::tokenizers {
namespace {

class Metaspace final : public PieceDecoder {
 public:
  Metaspace(std::string sign, bool prepended) : sign_(std::move(sign)), prepended_(prepended) {}

  void rewrite(std::vector<std::string>& pieces) const override {
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = with(i == 0 && prepended_ ? "" : " ", pieces[i]);
  }
  std::string text_of(std::string_view piece) const override { return with(" ", piece); }
  bool may_cut() const override { return false; }  // only the first piece loses it

 private:
  std::string with(std::string_view space, std::string_view piece) const {
    std::string text;
    for (std::size_t at = 0; at < piece.size();) {
      const bool sign = piece.substr(at).starts_with(sign_);
      text += sign ? space : piece.substr(at, 1);
      at += sign ? sign_.size() : 1;
    }
    return text;
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
