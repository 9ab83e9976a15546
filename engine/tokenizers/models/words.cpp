// words: a word is one piece; what the vocabulary does not hold is the unknown token.
#include <algorithm>

#include "engine/tokenizers/models/byte_tokens.h"
#include "engine/tokenizers/models/model.h"

namespace headlight::tokenizers {
namespace {

class Words final : public Model {
 public:
  Words(const Vocabulary& vocabulary, std::string sign, bool byte_fallback)
      : Model(vocabulary), unknown_(vocabulary.special(Role::unknown)), sign_(std::move(sign)), falls_back_(byte_fallback) {
    for (int byte = 0; byte < 256; ++byte) {
      bytes_[byte] = vocabulary.find(byte_token(static_cast<unsigned char>(byte)));
      falls_back_ = falls_back_ && bytes_[byte] >= 0;
    }
  }

  Status encode(std::string_view text, std::vector<Piece>& pieces, const CancelToken&) const override {
    pieces.clear();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = sign_.empty() ? text.size() : std::min(text.find(sign_, at + 1), text.size());
      const std::string_view word = text.substr(at, end - at);
      const std::int32_t id = id_of(word);
      if (id < 0 && falls_back_) {
        // As SentencePiece says it, the last byte alone stands for the word.
        const auto start = static_cast<std::int64_t>(at);
        for (; at < end; ++at)
          pieces.push_back(
              {bytes_[static_cast<unsigned char>(text[at])], at + 1 < end ? start : static_cast<std::int64_t>(end), start});
        continue;
      }
      if (id < 0 && unknown_ < 0) return no_piece_for(word);
      // Unknown words behind each other are one token.
      if (id < 0 && !pieces.empty() && pieces.back().id == unknown_)
        pieces.back().end = static_cast<std::int64_t>(end);
      else
        pieces.push_back({id >= 0 ? id : unknown_, static_cast<std::int64_t>(end)});
      at = end;
    }
    return {};
  }
  bool may_cut() const override { return true; }
  bool uses_unknown() const override { return true; }

 private:
  // SentencePiece finds a user's pieces, too, and no bytes.
  std::int32_t id_of(std::string_view word) const {
    if (sign_.empty()) return vocabulary().find_text(word);
    const std::int32_t id = vocabulary().find(word);
    return id >= 0 && !vocabulary().is_special(id) && !(falls_back_ && byte_of_token(word) >= 0) ? id : -1;
  }

  std::int32_t unknown_;
  std::string sign_;  // where it stands, the next word begins; empty: what is given is one word
  bool falls_back_;   // an unknown word is its bytes
  std::int32_t bytes_[256];
};

Result<std::shared_ptr<const Model>> make_words(const Values& values, const ModelData& data) {
  if (data.vocabulary.special(Role::unknown) < 0 && !data.vocabulary.is_published())
    return invalid("the vocabulary lacks [UNK]").at(data.where).mend("it stands for unseen words: add it");
  return std::shared_ptr<const Model>(std::make_shared<Words>(data.vocabulary, std::get<std::string>(values.at("sign")),
                                                              std::get<bool>(values.at("byte_fallback"))));
}

}  // namespace

ModelEntry words_model() {
  return {"words",
          "Words",
          "one token a word or mark, unseen ones [UNK]",
          "S14",
          {{"sign",
            "sign",
            "What a word begins with, where a whole text is given (SentencePiece).",
            Parameter::Kind::text,
            std::string(),
            0,
            0,
            {},
            nullptr,
            true},
           {"byte_fallback",
            "bytes",
            "Whether an unknown word is its bytes, written <0xE2>.",
            Parameter::Kind::boolean,
            false,
            0,
            0,
            {},
            nullptr,
            true}},
          make_words};
}

}  // namespace headlight::tokenizers
