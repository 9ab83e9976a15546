// wordpiece: a piece that begins with the prefix continues the word before it. Words are joined as a reader expects, or as the
// library `tokenizers` does.
#include "engine/tokenizers/decoders/decoder.h"
#include "engine/tokenizers/decoders/join_words.h"

namespace headlight::tokenizers {
namespace {

class WordPieceDecoder final : public PieceDecoder {
 public:
  WordPieceDecoder(std::string prefix, std::string spaces) : prefix_(std::move(prefix)), spaces_(std::move(spaces)) {}

  std::string decode(const std::vector<std::string_view>& pieces) const override {
    if (spaces_ == "reader") return PieceDecoder::decode(pieces);
    std::string text;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool continues = i > 0 && pieces[i].starts_with(prefix_);
      const std::string_view piece = continues ? pieces[i].substr(prefix_.size()) : pieces[i];
      if (spaces_ == "tidied" && may_be_tidied(piece)) {
        text += tidied((i > 0 && !continues ? " " : "") + std::string(piece));
      } else {
        if (i > 0 && !continues) text += ' ';
        text += piece;
      }
    }
    return text;
  }
  void rewrite(std::vector<std::string>& pieces) const override {
    if (spaces_ == "reader") return as_read(pieces);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (i > 0) pieces[i] = pieces[i].starts_with(prefix_) ? pieces[i].substr(prefix_.size()) : " " + pieces[i];
      if (spaces_ == "tidied") pieces[i] = tidied(std::move(pieces[i]));
    }
  }
  bool may_cut() const override { return false; }

 private:
  // Everything that tidying up replaces has a space and one of these, or several words.
  static bool may_be_tidied(std::string_view piece) { return piece.find_first_of(".?!,' ") != std::string_view::npos; }

  void as_read(std::vector<std::string>& pieces) const {
    std::vector<std::string> words;
    for (const std::string& piece : pieces) {
      if (!words.empty() && piece.starts_with(prefix_) && piece.size() > prefix_.size()) {
        words.back() += piece.substr(prefix_.size());
      } else {
        words.push_back(piece);
      }
    }
    pieces = {join_words(words)};
  }

  std::string prefix_, spaces_;
};

Result<std::shared_ptr<const Decoder>> make_wordpiece(const Values& values) {
  return std::shared_ptr<const Decoder>(
      std::make_shared<WordPieceDecoder>(std::get<std::string>(values.at("prefix")), std::get<std::string>(values.at("spaces"))));
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
            {}},
           {"spaces",
            "spaces",
            "Between words: those that a reader expects; one, but none before some marks (\"cleanup\"); or one always.",
            Parameter::Kind::choice,
            std::string("reader"),
            0,
            0,
            {"reader", "tidied", "always"},
            nullptr,
            true}},
          make_wordpiece};
}

}  // namespace headlight::tokenizers
