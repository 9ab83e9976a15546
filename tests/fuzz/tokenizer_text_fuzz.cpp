// Any bytes as a text: every bundled tokenizer cuts it into tokens inside of the text, encode_ids() finds the same ids, explain()
// the same tokens, and what loses nothing gives the bytes back. The first byte says which tokenizer; beyond the bundled ones a
// small BPE, WordPiece or unigram is trained on the bytes, and cuts them. Run: build/fuzz/bin/tokenizer_text_fuzz CORPUS.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/tokenizers/explained.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/training/training.h"

using namespace headlight::tokenizers;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

// `lossless`: the text comes back from its ids.
void check_text(const Tokenizer& tokenizer, std::string_view text, bool lossless) {
  const auto tokens = tokenizer.encode(text);
  const auto ids = tokenizer.encode_ids(text);
  check(tokens.ok() && ids.ok() && tokens->size() == ids->size());
  std::int64_t covered = 0;
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    const Token& token = (*tokens)[i];
    check(token.id == (*ids)[i] && token.id >= 0 && token.id < tokenizer.vocabulary_size());
    check(token.start >= 0 && token.start <= token.end && token.end <= static_cast<std::int64_t>(text.size()));
    if (lossless) {
      check(token.start == covered);
      covered = token.end;
    }
  }
  if (lossless) check(covered == static_cast<std::int64_t>(text.size()) && tokenizer.decode(*ids) == text);
  if (text.size() > 500) return;
  const auto explained = tokenizer.explain(text);
  check(explained.ok() && explained->tokens == *tokens);
  for (const Explained::Part& part : explained->parts)
    for (const Explained::Word& word : part.words) check(tokenizer.explain_word(word.text).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr const char* kBundled[] = {"characters", "words", "bpe", "wordpiece"};
  constexpr const char* kTrained[] = {"bpe", "wordpiece", "unigram"};
  const std::size_t which = data[0] % (std::size(kBundled) + std::size(kTrained));
  if (which < std::size(kBundled)) {
    const std::string name = kBundled[which];
    const auto tokenizer = open(name);
    check(tokenizer.ok());
    check_text(**tokenizer, text, name == "characters" || name == "bpe");
    return 0;
  }
  const Entry& entry = *trainers().find(kTrained[which - std::size(kBundled)]);
  TrainingOptions options;
  options.vocabulary_size = 300;
  options.coverage = 1;
  const auto words = entry.count_words(text, options, {});
  check(words.ok());
  const auto training = entry.train(*words, options, {});
  if (!training.ok()) {  // no words, or more characters than pieces
    check(!training.error().what.empty());
    return 0;
  }
  check_text(*training->tokenizer, text, entry.id == "bpe");
  return 0;
}
