// spaced: a space between any two pieces, which is how a file without a decoder is read. suffix: the mark at the end of a word
// becomes a space (Sennrich et al. 2016).
#include "engine/tokenizers/decoders/decoder.h"

namespace headlight::tokenizers {
namespace {

class Spaced final : public Decoder {
 public:
  std::string decode(const std::vector<std::string_view>& pieces) const override {
    std::string text;
    for (std::size_t i = 0; i < pieces.size(); ++i) text += (i ? " " : "") + std::string(pieces[i]);
    return text;
  }
  bool may_cut() const override { return false; }
};

class Suffix final : public PieceDecoder {
 public:
  explicit Suffix(std::string suffix) : suffix_(std::move(suffix)) {}

  void rewrite(std::vector<std::string>& pieces) const override {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::string_view space = i + 1 == pieces.size() ? "" : " ";
      for (std::size_t at = 0; (at = pieces[i].find(suffix_, at)) != std::string::npos; at += space.size())
        pieces[i].replace(at, suffix_.size(), space);
    }
  }
  bool may_cut() const override { return false; }  // the last one is no space

 private:
  std::string suffix_;
};

Result<std::shared_ptr<const Decoder>> make_spaced(const Values&) {
  return std::shared_ptr<const Decoder>(std::make_shared<Spaced>());
}

Result<std::shared_ptr<const Decoder>> make_suffix(const Values& values) {
  const auto suffix = std::get<std::string>(values.at("suffix"));
  if (suffix.empty()) return invalid("'suffix' has nothing to look for").at("suffix").mend("give one such as </w>");
  return std::shared_ptr<const Decoder>(std::make_shared<Suffix>(suffix));
}

}  // namespace

DecoderEntry spaced_decoder() {
  return {"spaced", "spaces between", "a space between the pieces", "Hugging Face tokenizers", {}, make_spaced};
}
DecoderEntry suffix_decoder() {
  return {"suffix",
          "ends of words",
          "the mark at the end of a word is a space",
          "Sennrich et al. 2016",
          {{"suffix", "suffix", "The mark.", Parameter::Kind::text, std::string("</w>"), 0, 0, {}}},
          make_suffix};
}

}  // namespace headlight::tokenizers
