// ctc: of pieces that repeat each other one stays, the pad's text is left out, and the delimiter of words becomes a space. It is
// how speech recognisers' outputs are read (connectionist temporal classification).
#include <utility>

#include "engine/tokenizers/decoders/decoder.h"
#include "engine/tokenizers/decoders/join_words.h"

namespace headlight::tokenizers {
namespace {

std::string all_replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

class Ctc final : public PieceDecoder {
 public:
  Ctc(std::string pad, std::string delimiter, bool tidies)
      : pad_(std::move(pad)), delimiter_(std::move(delimiter)), tidies_(tidies) {}

  void rewrite(std::vector<std::string>& pieces) const override {
    std::vector<std::string> made;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (i > 0 && pieces[i] == pieces[i - 1]) continue;
      if (std::string text = text_of(pieces[i]); !text.empty()) made.push_back(std::move(text));
    }
    pieces = std::move(made);
  }
  std::string text_of(std::string_view piece) const override {
    std::string text = all_replaced(std::string(piece), pad_, "");
    return tidies_ ? all_replaced(tidied(std::move(text)), delimiter_, " ") : text;
  }
  bool may_cut() const override { return false; }  // not between two pieces that are the same

 private:
  std::string pad_, delimiter_;
  bool tidies_;
};

Result<std::shared_ptr<const Decoder>> make_ctc(const Values& values) {
  return std::shared_ptr<const Decoder>(std::make_shared<Ctc>(std::get<std::string>(values.at("pad")),
                                                              std::get<std::string>(values.at("delimiter")),
                                                              std::get<bool>(values.at("tidies"))));
}

}  // namespace

DecoderEntry ctc_decoder() {
  return {"ctc",
          "speech",
          "repeated pieces once, without the pad",
          "Graves et al. 2006",
          {{"pad", "pad", "The text that is left out.", Parameter::Kind::text, std::string("<pad>"), 0, 0, {}},
           {"delimiter", "delimiter", "What stands between words.", Parameter::Kind::text, std::string("|"), 0, 0, {}},
           {"tidies",
            "tidies",
            "Whether delimiters become spaces, none before some marks.",
            Parameter::Kind::boolean,
            true,
            0,
            0,
            {}}},
          make_ctc};
}

}  // namespace headlight::tokenizers
