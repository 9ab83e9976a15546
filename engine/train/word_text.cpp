#include "engine/train/word_text.h"

#include "engine/tokenizers/training/training.h"

namespace headlight {

Result<WordText> word_text(const std::string& text, const WordTextOptions& options, const CancelToken& cancel) {
  const tokenizers::Entry& words = *tokenizers::registry().find("words");
  tokenizers::TrainingOptions training;
  training.vocabulary_size = options.vocabulary;
  training.min_pair_count = options.min_count;
  training.lowercase = !options.keep_case;
  training.record_steps = false;
  HL_ASSIGN(const auto counts, words.count_words(text, training, cancel));
  HL_ASSIGN(const tokenizers::Training trained, words.train(counts, training, cancel));
  if (cancel.cancelled()) return cancelled();
  WordText made;
  made.tokenizer = trained.tokenizer;
  HL_TRY(made.tokenizer->encode_parts(
      text,
      [&](const std::vector<tokenizers::Token>& tokens) {
        for (const tokenizers::Token& token : tokens)
          made.ids.push_back(token.id == made.tokenizer->unknown_id() ? -1 : token.id);
        return Status{};
      },
      cancel));
  return made;
}

}  // namespace headlight
