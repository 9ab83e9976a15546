// Words: one token a word or punctuation mark; what the vocabulary does not hold is [UNK]. Whitespace is not kept.
#include "engine/text/utf8.h"
#include "engine/tokenizers/files/tokenizer_file.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/vocabulary.h"

namespace headlight::tokenizers {
namespace {

class Words final : public VocabularyTokenizer {
 public:
  Words(Vocabulary vocabulary, std::vector<text::Normalizer> normalizers)
      : VocabularyTokenizer(std::move(vocabulary)), normalizers_(std::move(normalizers)) {}

  std::string kind() const override { return "words"; }

  Result<std::vector<Token>> encode(std::string_view input, const CancelToken& cancel) const override {
    std::vector<Token> tokens;
    HL_TRY(for_each_word(input, normalizers_, cancel, [&](std::string_view word, const auto& source) {
      std::int32_t id = vocabulary().find_text(word);
      if (id < 0) id = unknown_id();
      const text::Span span = source(0, static_cast<std::int64_t>(word.size()));
      tokens.push_back({id, vocabulary().piece(id), span.start, span.end});
    }));
    return tokens;
  }

  std::string decode(const std::vector<std::int32_t>& ids) const override {
    std::vector<std::string> words;
    for (const std::int32_t id : ids)
      if (!vocabulary().piece(id).empty() && (!vocabulary().is_special(id) || id == unknown_id())) words.push_back(piece(id));
    return join_words(words);
  }

  Status save(const std::filesystem::path& folder) const override {
    return write_tokenizer_file(folder, {kind(), "corpus", text::PreTokenizer::words, normalizers_, vocabulary().pieces(), {}});
  }

 protected:
  const char* name() const override { return "Words"; }

 private:
  std::vector<text::Normalizer> normalizers_;
};

Result<std::vector<WordCount>> count(std::string_view input, const TrainingOptions& options, const CancelToken& cancel) {
  return count_spans(input, text::PreTokenizer::words, normalizers_for(options), options.progress, cancel);
}

Result<Training> train(const std::vector<WordCount>& corpus, const TrainingOptions& options, const CancelToken& cancel) {
  HL_ASSIGN(auto words, checked_corpus(corpus, normalizers_for(options)));
  HL_TRY(check_vocabulary_size(options, 1, "word"));
  if (cancel.cancelled()) return cancelled();
  std::erase_if(words, [](const WordCount& word) { return !text::is_valid_utf8(word.word); });  // stays [UNK]
  Training training;
  training.words.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), kFilmWords)));
  Vocabulary vocabulary = Vocabulary::with_specials();
  add_most_frequent(std::move(words), options, vocabulary, training);
  training.tokenizer = std::make_shared<Words>(std::move(vocabulary), normalizers_for(options));
  return training;
}

Result<std::shared_ptr<const Tokenizer>> load(const std::filesystem::path& folder) {
  HL_ASSIGN(TokenizerFile file, read_tokenizer_file(folder, "words"));
  HL_ASSIGN(Vocabulary vocabulary, Vocabulary::of(std::move(file.vocabulary), folder.string()));
  if (vocabulary.special(kUnknown) < 0)
    return invalid("the vocabulary lacks [UNK]", folder.string(), "it stands for unseen words: add it");
  return std::shared_ptr<const Tokenizer>(std::make_shared<Words>(std::move(vocabulary), std::move(file.normalizers)));
}

}  // namespace

Entry words_entry() {
  return {"words", "Words", "one token a word or mark, unseen ones [UNK]", "S14", train, count, load, "words"};
}

}  // namespace headlight::tokenizers
