// Texts in which the word [MASK] stands for the mask token, which a model fills in.
#pragma once

#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

// Like Tokenizer::encode(), but the name of the tokenizer's mask token, if it has one, is read as that token together with the
// space before it, as published tokenizers do (an added token that strips the space at its left). Error: cancelled.
// encode_with_masks(tokenizer, "the [MASK] barks") gives the token [MASK] for the bytes [3, 10).
Result<std::vector<Token>> encode_with_masks(const Tokenizer& tokenizer, std::string_view text, const CancelToken& cancel = {});

}  // namespace headlight::tokenizers
