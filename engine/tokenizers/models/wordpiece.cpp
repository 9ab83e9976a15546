// wordpiece: WordPiece (Schuster and Nakajima 2012; Devlin et al. 2018). Pieces that continue a word begin with a prefix, "##".
// Encoding takes the longest piece that fits, from the left; a word that cannot be covered is one unknown token.
#include <algorithm>

#include "engine/text/utf8.h"
#include "engine/tokenizers/models/model.h"

namespace headlight::tokenizers {
namespace {

class WordPiece final : public Model {
 public:
  WordPiece(const Vocabulary& vocabulary, const std::string& prefix, std::int64_t longest_word)
      : Model(vocabulary), longest_word_(longest_word), unknown_(vocabulary.special(Role::unknown)) {
    // Two tables of bare texts, so that looking up a slice of a word copies nothing.
    for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
      if (!vocabulary.is_text(id)) continue;
      const std::string& piece = vocabulary.piece(id);
      const bool continues = piece.starts_with(prefix) && piece.size() > prefix.size();
      const std::string bare = continues ? piece.substr(prefix.size()) : piece;
      (continues ? continuing_ : beginning_).emplace(bare, id);
      longest_ = std::max(longest_, bare.size());
    }
  }

  Status encode(std::string_view word, std::vector<Piece>& pieces, const CancelToken&) const override {
    if (!cut(word, pieces)) pieces.assign(1, {unknown_, static_cast<std::int64_t>(word.size())});
    return {};
  }
  bool may_cut() const override { return true; }
  bool uses_unknown() const override { return true; }

 private:
  // False if the word cannot be covered.
  bool cut(std::string_view word, std::vector<Piece>& pieces) const {
    pieces.clear();
    if (static_cast<std::int64_t>(word.size()) > longest_word_ && text::count_code_points(word) > longest_word_) return false;
    for (std::size_t start = 0; start < word.size();) {
      const auto& table = start == 0 ? beginning_ : continuing_;
      std::size_t length = std::min(longest_, word.size() - start);
      auto it = table.end();
      for (; length > 0; --length)  // a slice that cuts a character is in no table
        if (it = table.find(word.substr(start, length)); it != table.end()) break;
      if (it == table.end()) return false;
      start += length;
      pieces.push_back({it->second, static_cast<std::int64_t>(start)});
    }
    return true;
  }

  StringMap<std::int32_t> beginning_, continuing_;
  std::size_t longest_ = 0;    // of the pieces, in bytes
  std::int64_t longest_word_;  // in characters
  std::int32_t unknown_;
};

Result<std::shared_ptr<const Model>> make_wordpiece(const Values& values, const ModelData& data) {
  if (data.vocabulary.special(Role::unknown) < 0)
    return invalid("the vocabulary lacks [UNK]").at(data.where).mend("it stands for words that cannot be covered: add it");
  const auto prefix = std::get<std::string>(values.at("prefix"));
  if (prefix.empty())
    return invalid("the prefix of pieces that continue a word is empty").at(data.where).mend("give one such as ##");
  return std::shared_ptr<const Model>(
      std::make_shared<WordPiece>(data.vocabulary, prefix, std::get<std::int64_t>(values.at("longest_word"))));
}

}  // namespace

ModelEntry wordpiece_model() {
  return {"wordpiece",
          "WordPiece",
          "merge argmax over pairs (a, b) of count(ab) / (count(a) count(b))",
          "S14; Schuster and Nakajima 2012, Devlin et al. 2018",
          {{"prefix",
            "prefix",
            "What a piece that continues a word begins with.",
            Parameter::Kind::text,
            std::string("##"),
            0,
            0,
            {}},
           {"longest_word",
            "longest word",
            "Words of more characters than this are unknown.",
            Parameter::Kind::integer,
            std::int64_t{100},
            1,
            1000000,
            {}}},
          make_wordpiece};
}

}  // namespace headlight::tokenizers
