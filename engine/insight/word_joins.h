// Which tokens of a sentence continue the word before them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/pipeline/trace.h"

namespace headlight {

// By token. A token that follows without a space belongs to the word before it; punctuation, ideographs and special tokens stand
// alone. Of the tokens "rhododend" and "rons" of one word the second is true.
std::vector<bool> joins_to_words(std::string_view text, std::span<const tokenizers::Token> tokens);
std::vector<bool> joins_to_words(const Sentence& sentence);

}  // namespace headlight
