// words: a word is one piece; what the vocabulary does not hold is the unknown token.
#include "engine/tokenizers/models/model.h"

namespace headlight::tokenizers {
namespace {

class Words final : public Model {
 public:
  explicit Words(const Vocabulary& vocabulary) : Model(vocabulary), unknown_(vocabulary.special(Role::unknown)) {}

  Status encode(std::string_view word, std::vector<Piece>& pieces, const CancelToken&) const override {
    const std::int32_t id = vocabulary().find_text(word);
    if (id < 0 && unknown_ < 0) return no_piece_for(word);
    pieces.assign(1, {id >= 0 ? id : unknown_, static_cast<std::int64_t>(word.size())});
    return {};
  }
  bool may_cut() const override { return true; }
  bool uses_unknown() const override { return true; }

 private:
  std::int32_t unknown_;
};

Result<std::shared_ptr<const Model>> make_words(const Values&, const ModelData& data) {
  if (data.vocabulary.special(Role::unknown) < 0 && !data.vocabulary.is_published())
    return invalid("the vocabulary lacks [UNK]").at(data.where).mend("it stands for unseen words: add it");
  return std::shared_ptr<const Model>(std::make_shared<Words>(data.vocabulary));
}

}  // namespace

ModelEntry words_model() { return {"words", "Words", "one token a word or mark, unseen ones [UNK]", "S14", {}, make_words}; }

}  // namespace headlight::tokenizers
