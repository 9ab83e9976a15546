// wordpiece: a piece that begins with the prefix continues the word before it; words are joined as a reader expects.
#include "engine/tokenizers/decoders/decoder.h"
#include "engine/tokenizers/decoders/join_words.h"

namespace headlight::tokenizers {
namespace {

class WordPieceDecoder final : public Decoder {
 public:
  explicit WordPieceDecoder(std::string prefix) : prefix_(std::move(prefix)) {}

  std::string decode(const std::vector<std::string_view>& pieces) const override {
    std::vector<std::string> words;
    for (const std::string_view piece : pieces) {
      if (!words.empty() && piece.starts_with(prefix_) && piece.size() > prefix_.size()) {
        words.back() += piece.substr(prefix_.size());
      } else {
        words.emplace_back(piece);
      }
    }
    return join_words(words);
  }
  bool may_cut() const override { return false; }

 private:
  std::string prefix_;
};

Result<std::shared_ptr<const Decoder>> make_wordpiece(const Values& values) {
  return std::shared_ptr<const Decoder>(std::make_shared<WordPieceDecoder>(std::get<std::string>(values.at("prefix"))));
}

}  // namespace

DecoderEntry wordpiece_decoder() {
  return {"wordpiece",
          "WordPiece",
          "pieces that begin with the prefix continue a word",
          "Devlin et al. 2018 (BERT)",
          {{"prefix",
            "prefix",
            "What a piece that continues a word begins with.",
            Parameter::Kind::text,
            std::string("##"),
            0,
            0,
            {}}},
          make_wordpiece};
}

}  // namespace headlight::tokenizers
