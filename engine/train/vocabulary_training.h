// The training of a vocabulary from a training's texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/train/config.h"
#include "engine/train/data.h"

namespace headlight::train {

// Trains the tokenizer that a configuration asks for on `texts`. With `with_mask` its last piece is the special token [MASK].
// Errors: the text gives fewer pieces than asked for, the size leaves no room for the alphabet, cancelled; `where` names the
// configuration.
// train_vocabulary({.kind = "bpe", .size = 8192}, texts, false, "train.json", cancel): 8192 pieces.
Result<TokenizerPointer> train_vocabulary(const VocabularyWanted& wanted, const std::vector<std::string_view>& texts,
                                          bool with_mask, const std::string& where, const CancelToken& cancel);

// A vocabulary of made-up syllables, "ba", "be", ..., one piece each, for random sequences that can be read and typed.
Result<TokenizerPointer> syllables(std::int64_t count);

// The tokens of texts, one after the other: text i has the ids [begins[i], begins[i + 1]).
struct Encoded {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> bytes;  // of the text of each id, with the text that was skipped before it
  std::vector<std::int64_t> begins{0};
};
// Computed in parallel. `last` ends every text and counts as one byte, the end of its line; -1: no token does. Error: cancelled.
// encode_all(*tokenizer, {"a b", "c"}, -1, cancel): begins is {0, 2, 3} for a tokenizer of words.
Result<Encoded> encode_all(const tokenizers::Tokenizer& tokenizer, const std::vector<std::string_view>& texts, std::int32_t last,
                           const CancelToken& cancel);

}  // namespace headlight::train
