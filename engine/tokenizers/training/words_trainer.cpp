// words: the most frequent words and marks.
#include <algorithm>

#include "engine/text/utf8.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/training/corpus.h"

namespace headlight::tokenizers {
namespace {

Result<std::vector<WordCount>> count_words(std::string_view input, const TrainingOptions& options, const CancelToken& cancel) {
  return count_spans(input, "words", normalizers_for(options), options.progress, cancel);
}

Result<Training> train_words(const std::vector<WordCount>& corpus, const TrainingOptions& options, const CancelToken& cancel) {
  HL_ASSIGN(auto words, checked_corpus(corpus, normalizers_for(options)));
  HL_TRY(check_vocabulary_size(options, 1, Message("word")));
  if (cancel.cancelled()) return cancelled();
  std::erase_if(words, [](const WordCount& word) { return !text::is_valid_utf8(word.word); });  // stays [UNK]
  Training training;
  training.words.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), kFilmWords)));
  Vocabulary vocabulary = Vocabulary::with_specials();
  add_most_frequent(std::move(words), options, vocabulary, training);
  KindOptions kind;
  kind.normalizers = normalizers_for(options);
  HL_ASSIGN(training.tokenizer, Tokenizer::make(plan_of("words", std::move(vocabulary), {}, kind), "the trained vocabulary"));
  return training;
}

}  // namespace

Entry words_entry() { return {"words", "Words", "one token a word or mark, unseen ones [UNK]", "S14", train_words, count_words}; }

}  // namespace headlight::tokenizers
