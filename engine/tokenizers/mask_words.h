// "[MASK]" written in a text that a model is to fill in.
#pragma once

#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

// As Tokenizer::encode(), but where the tokenizer has a token for masks, its name in the text is that token, with the space
// before it, as published tokenizers have it (an added token that strips the space at its left). Error: cancelled.
Result<std::vector<Token>> encode_with_masks(const Tokenizer& tokenizer, std::string_view text, const CancelToken& cancel = {});

}  // namespace headlight::tokenizers
