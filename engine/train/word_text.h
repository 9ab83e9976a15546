// A text as word2vec reads it: its frequent words, in small letters or as they are, and their ids in the text's order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {

struct WordTextOptions {
  std::int64_t min_count = 5;       // rarer words have no vector
  std::int64_t vocabulary = 20000;  // the most frequent words are kept, special tokens included
  bool keep_case = false;           // words with capital letters are words of their own
};
struct WordText {
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer;
  std::vector<std::int32_t> ids;  // -1: a word without a vector
};
// Errors: the vocabulary's; cancelled.
// word_text(text, {.min_count = 1}, cancel): the id of every word of the text.
Result<WordText> word_text(const std::string& text, const WordTextOptions& options, const CancelToken& cancel);

}  // namespace headlight
