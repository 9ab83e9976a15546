// Byte-pair encoding: the model, built from a vocabulary and merges (ours or published ones).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

using Merges = std::vector<std::pair<std::string, std::string>>;  // in order of rank

// Byte-level BPE with GPT-2's pattern. `vocabulary[id]` in the byte alphabet (byte_alphabet.h); special tokens are optional.
// Errors, naming `where`: a byte without a piece, a piece twice, a merge of or into a piece that is not in the vocabulary.
Result<std::shared_ptr<const Tokenizer>> make_byte_level_bpe(std::vector<std::string> vocabulary, const Merges& merges,
                                                             const std::string& where);

}  // namespace headlight::tokenizers
