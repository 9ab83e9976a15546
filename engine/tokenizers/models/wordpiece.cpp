// wordpiece: WordPiece (Schuster and Nakajima 2012; Devlin et al. 2018). Pieces that continue a word begin with a prefix, "##".
// Encoding takes the longest piece that fits, from the left; a word that cannot be covered is one unknown token.
#include "engine/text/utf8.h"
#include "engine/tokenizers/models/model.h"
#include "engine/tokenizers/models/piece_trie.h"

namespace headlight::tokenizers {
namespace {

class WordPiece final : public Model {
 public:
  WordPiece(const Vocabulary& vocabulary, const std::string& prefix, std::int64_t longest_word)
      : Model(vocabulary), longest_word_(longest_word), unknown_(vocabulary.special(Role::unknown)) {
    std::vector<std::pair<std::string_view, std::int32_t>> beginning, continuing;
    for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
      if (!vocabulary.is_text(id)) continue;
      const std::string_view piece = this->vocabulary().piece(id);
      const bool continues = piece.starts_with(prefix) && piece.size() > prefix.size();
      if (continues) continuing.emplace_back(piece.substr(prefix.size()), id);
      // A published tokenizer's word may begin with the prefix itself.
      if (!continues || vocabulary.is_published()) beginning.emplace_back(piece, id);
    }
    beginning_ = PieceTrie(std::move(beginning));
    continuing_ = PieceTrie(std::move(continuing));
  }

  Status encode(std::string_view word, std::vector<Piece>& pieces, const CancelToken&) const override {
    if (cut(word, pieces)) return {};
    if (unknown_ < 0) return no_piece_for(word);
    pieces.assign(1, {unknown_, static_cast<std::int64_t>(word.size())});
    return {};
  }
  Result<Explanation> explain(std::string_view word, const CancelToken& cancel) const override {
    LongestMatches matches;
    matches.too_long = is_too_long(word);
    matches.covered = !matches.too_long;
    for (std::size_t start = 0; start < word.size() && matches.covered;) {
      if (cancel.cancelled()) return cancelled();
      LongestMatches::Step& step = matches.steps.emplace_back();
      step.start = static_cast<std::int64_t>(start);
      const std::size_t reach =
          (start == 0 ? beginning_ : continuing_).each_prefix(word.substr(start), [&](std::size_t length, std::int32_t id) {
            step.fits.push_back({id, static_cast<std::int64_t>(start + length)});
          });
      step.reach = static_cast<std::int64_t>(start + reach);
      matches.covered = !step.fits.empty();
      if (matches.covered) start = static_cast<std::size_t>(step.fits.back().end);
    }
    return Explanation(std::move(matches));
  }
  bool may_cut() const override { return true; }
  bool uses_unknown() const override { return true; }

 private:
  bool is_too_long(std::string_view word) const {
    return static_cast<std::int64_t>(word.size()) > longest_word_ && text::count_code_points(word) > longest_word_;
  }

  // False if the word cannot be covered.
  bool cut(std::string_view word, std::vector<Piece>& pieces) const {
    pieces.clear();
    if (is_too_long(word)) return false;
    for (std::size_t start = 0; start < word.size();) {
      // A piece is UTF-8: it ends where a character does.
      const PieceTrie::Found found = (start == 0 ? beginning_ : continuing_).longest(word.substr(start));
      if (found.id < 0) return false;
      start += found.length;
      pieces.push_back({found.id, static_cast<std::int64_t>(start)});
    }
    return true;
  }

  PieceTrie beginning_, continuing_;
  std::int64_t longest_word_;  // in characters
  std::int32_t unknown_;
};

Result<std::shared_ptr<const Model>> make_wordpiece(const Values& values, const ModelData& data) {
  if (data.vocabulary.special(Role::unknown) < 0 && !data.vocabulary.is_published())
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
