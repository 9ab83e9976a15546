// characters: a word is one piece if the vocabulary has it, else one piece a byte: the character that this byte is by itself
// ("k"), or its byte token ("<0xE2>"). With a splitter that makes every grapheme cluster a word, nothing is lost:
// decode(encode(x)) == x for any bytes.
#include "engine/tokenizers/models/byte_tokens.h"
#include "engine/tokenizers/models/model.h"

namespace headlight::tokenizers {
namespace {

class Characters final : public Model {
 public:
  explicit Characters(const Vocabulary& vocabulary) : Model(vocabulary) {
    for (int byte = 0; byte < 256; ++byte) {
      const char letter = static_cast<char>(static_cast<unsigned char>(byte));
      const std::int32_t character = vocabulary.find_text(std::string_view(&letter, 1));
      ids_[byte] = character >= 0 ? character : vocabulary.find(byte_token(static_cast<unsigned char>(byte)));
    }
  }

  Status encode(std::string_view word, std::vector<Piece>& pieces, const CancelToken&) const override {
    pieces.clear();
    const auto size = static_cast<std::int64_t>(word.size());
    if (const std::int32_t id = vocabulary().find_text(word); id >= 0) {
      pieces.push_back({id, size});
    } else {
      for (std::int64_t i = 0; i < size; ++i)
        pieces.push_back({ids_[static_cast<unsigned char>(word[static_cast<std::size_t>(i)])], i + 1});
    }
    return {};
  }
  bool may_cut() const override { return true; }
  bool uses_unknown() const override { return false; }

 private:
  std::int32_t ids_[256];  // of single bytes
};

Result<std::shared_ptr<const Model>> make_characters(const Values&, const ModelData& data) {
  for (int byte = 0; byte < 256; ++byte)
    if (const std::string token = byte_token(static_cast<unsigned char>(byte)); data.vocabulary.find(token) < 0)
      return invalid("the vocabulary lacks the byte token {}", token)
          .at(data.where)
          .mend("a characters vocabulary needs all 256, so that no text is lost");
  return std::shared_ptr<const Model>(std::make_shared<Characters>(data.vocabulary));
}

}  // namespace

ModelEntry characters_model() {
  return {"characters", "Characters",   "one token a grapheme cluster, unseen ones byte by byte", "S14; Unicode Annex 29",
          {},           make_characters};
}

}  // namespace headlight::tokenizers
