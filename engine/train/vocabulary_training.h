// The vocabulary of a training, from its texts.
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
// place.
Result<TokenizerPointer> train_vocabulary(const VocabularyWanted& wanted, const std::vector<std::string_view>& texts,
                                          bool with_mask, const std::string& where, const CancelToken& cancel);

// A vocabulary of made-up syllables, "ba", "be", ..., one piece each, for random sequences that can be read and typed.
Result<TokenizerPointer> syllables(std::int64_t count);

// The tokens of texts, one after the other: text i has the ids [begins[i], begins[i + 1]).
struct Encoded {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> bytes;  // of the text that each id stands for, with what was skipped before it
  std::vector<std::int64_t> begins{0};
};
// Computed in parallel. `last`, if it is an id, ends every text, and stands for one byte: the end of its line. Error: cancelled.
Result<Encoded> encode_all(const tokenizers::Tokenizer& tokenizer, const std::vector<std::string_view>& texts, std::int32_t last,
                           const CancelToken& cancel);

}  // namespace headlight::train
