// WordPiece (Schuster and Nakajima 2012; Devlin et al. 2018): pieces that continue a word begin with "##". Training joins the
// pair with the highest count(ab) / (count(a) count(b)); encoding takes the longest piece that fits, from the left, and a word
// that cannot be covered is one [UNK].
#include <algorithm>
#include <set>

#include "engine/text/utf8.h"
#include "engine/tokenizers/files/tokenizer_file.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/training/pair_trainer.h"
#include "engine/tokenizers/vocabulary.h"

namespace headlight::tokenizers {
namespace {

constexpr std::string_view kContinues = "##";
constexpr std::int64_t kLongestWord = 100;  // in characters, as in BERT; longer ones are [UNK]

class WordPiece final : public VocabularyTokenizer {
 public:
  WordPiece(Vocabulary vocabulary, std::vector<text::Normalizer> normalizers)
      : VocabularyTokenizer(std::move(vocabulary)), normalizers_(std::move(normalizers)) {
    // Two tables of bare texts, so that looking up a slice of a word copies nothing.
    for (std::int32_t id = 0; id < vocabulary_size(); ++id) {
      if (this->vocabulary().is_special(id)) continue;
      const std::string& piece = this->vocabulary().piece(id);
      const bool continues = piece.starts_with(kContinues) && piece.size() > kContinues.size();
      const std::string bare = continues ? piece.substr(kContinues.size()) : piece;
      (continues ? continuing_ : beginning_).emplace(bare, id);
      longest_ = std::max(longest_, bare.size());
    }
  }

  std::string kind() const override { return "wordpiece"; }

  Result<std::vector<Token>> encode(std::string_view input, const CancelToken& cancel) const override {
    std::vector<Token> tokens;
    std::vector<std::pair<std::int32_t, std::int64_t>> pieces;  // id and where it ends
    HL_TRY(for_each_word(input, normalizers_, cancel, [&](std::string_view word, const auto& source) {
      if (!cut(word, pieces)) pieces.assign(1, {unknown_id(), static_cast<std::int64_t>(word.size())});
      std::int64_t start = 0;
      for (const auto& [id, end] : pieces) {
        const text::Span span = source(start, end);
        tokens.push_back({id, vocabulary().piece(id), span.start, span.end});
        start = end;
      }
    }));
    return tokens;
  }

  std::string decode(const std::vector<std::int32_t>& ids) const override {
    std::vector<std::string> words;
    for (const std::int32_t id : ids) {
      const std::string& piece = vocabulary().piece(id);
      if (piece.empty() || (vocabulary().is_special(id) && id != unknown_id())) continue;
      if (!words.empty() && piece.starts_with(kContinues) && piece.size() > kContinues.size()) {
        words.back() += piece.substr(kContinues.size());
      } else {
        words.push_back(piece);
      }
    }
    return join_words(words);
  }

  Status save(const std::filesystem::path& folder) const override {
    return write_tokenizer_file(folder, {kind(), "corpus", text::PreTokenizer::words, normalizers_, vocabulary().pieces(), {}});
  }

 protected:
  const char* name() const override { return "WordPiece"; }

 private:
  // False if the word cannot be covered.
  bool cut(std::string_view word, std::vector<std::pair<std::int32_t, std::int64_t>>& pieces) const {
    pieces.clear();
    if (static_cast<std::int64_t>(word.size()) > kLongestWord && text::count_code_points(word) > kLongestWord) return false;
    for (std::size_t start = 0; start < word.size();) {
      const auto& table = start == 0 ? beginning_ : continuing_;
      std::size_t length = std::min(longest_, word.size() - start);
      auto it = table.end();
      for (; length > 0; --length)  // a slice that cuts a character is in no table
        if (it = table.find(word.substr(start, length)); it != table.end()) break;
      if (it == table.end()) return false;
      start += length;
      pieces.emplace_back(it->second, static_cast<std::int64_t>(start));
    }
    return true;
  }

  std::vector<text::Normalizer> normalizers_;
  StringMap<std::int32_t> beginning_, continuing_;
  std::size_t longest_ = 0;  // bytes
};

Result<std::vector<WordCount>> count(std::string_view input, const TrainingOptions& options, const CancelToken& cancel) {
  return count_spans(input, text::PreTokenizer::words, normalizers_for(options), options.progress, cancel);
}

Result<Training> train(const std::vector<WordCount>& corpus, const TrainingOptions& options, const CancelToken& cancel) {
  HL_ASSIGN(const auto words, checked_corpus(corpus, normalizers_for(options)));
  Training training;
  // First pass: the pieces of the alphabet, "h" where it begins a word, "##h" where it continues one.
  std::set<std::string> alphabet;
  const auto each_letter = [](const WordCount& word, const auto& visit) {
    text::for_each_code_point(word.word, [&](std::int64_t at, const text::CodePoint& point) {
      visit(point.valid,
            (at > 0 ? std::string(kContinues) : std::string()) + (point.valid ? text::to_utf8(point.value) : std::string()));
    });
  };
  for (const WordCount& word : words)
    each_letter(word, [&](bool valid, const std::string& piece) {
      if (valid) alphabet.insert(piece);
    });
  training.alphabet.assign(alphabet.begin(), alphabet.end());
  HL_TRY(check_vocabulary_size(options, static_cast<std::int64_t>(alphabet.size()),
                               "letters of the corpus, beginning and continuing"));
  Vocabulary vocabulary = Vocabulary::with_specials();
  for (const std::string& piece : training.alphabet) vocabulary.add(piece);

  std::vector<SegmentedWord> segmented;
  segmented.reserve(words.size());
  for (const WordCount& word : words) {
    SegmentedWord& cut = segmented.emplace_back();
    cut.count = word.count;
    each_letter(word, [&](bool valid, const std::string& piece) { cut.pieces.push_back(valid ? vocabulary.find(piece) : -1); });
    if (training.words.size() < kFilmWords && text::is_valid_utf8(word.word)) training.words.push_back(word);
  }
  HL_ASSIGN(PairTraining pairs, train_pairs(segmented, PairRule::likelihood, options, vocabulary, cancel));
  training.steps = std::move(pairs.steps);
  training.ran_out_of_pairs = pairs.ran_out_of_pairs;
  training.tokenizer = std::make_shared<WordPiece>(std::move(vocabulary), normalizers_for(options));
  return training;
}

Result<std::shared_ptr<const Tokenizer>> load(const std::filesystem::path& folder) {
  HL_ASSIGN(TokenizerFile file, read_tokenizer_file(folder, "wordpiece"));
  HL_ASSIGN(Vocabulary vocabulary, Vocabulary::of(std::move(file.vocabulary), folder.string()));
  if (vocabulary.special(kUnknown) < 0)
    return invalid("the vocabulary lacks [UNK]", folder.string(), "it stands for words that cannot be covered: add it");
  return std::shared_ptr<const Tokenizer>(std::make_shared<WordPiece>(std::move(vocabulary), std::move(file.normalizers)));
}

}  // namespace

Entry wordpiece_entry() {
  return {"wordpiece",
          "WordPiece",
          "merge argmax over pairs (a, b) of count(ab) / (count(a) count(b))",
          "S14; Schuster and Nakajima 2012, Devlin et al. 2018",
          train,
          count,
          load,
          "wordpiece"};
}

}  // namespace headlight::tokenizers
