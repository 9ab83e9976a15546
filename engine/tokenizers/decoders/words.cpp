// words: every piece is a word or mark, and a reader's spaces stand between them.
#include "engine/tokenizers/decoders/decoder.h"
#include "engine/tokenizers/decoders/join_words.h"

namespace headlight::tokenizers {
namespace {

class WordsDecoder final : public Decoder {
 public:
  std::string decode(const std::vector<std::string_view>& pieces) const override {
    return join_words({pieces.begin(), pieces.end()});
  }
  bool may_cut() const override { return false; }
};

Result<std::shared_ptr<const Decoder>> make_words(const Values&) {
  return std::shared_ptr<const Decoder>(std::make_shared<WordsDecoder>());
}

}  // namespace

DecoderEntry words_decoder() {
  return {"words", "words", "words and marks with the spaces that a reader expects", "", {}, make_words};
}

}  // namespace headlight::tokenizers
