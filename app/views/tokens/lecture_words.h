// The lecture's words on each kind of tokenizer, beside measured values.
#pragma once

#include <string>

#include "engine/tokenizers/tokenizer.h"

namespace headlight::views::tokens {

// One line per property of a tokenizer of the kind `kind` ("characters", "words", "bpe", "wordpiece"): the measured value for
// this text, and the lecture's words on it. The two sub-word kinds also show their pieces of "unhappiness" beside the lecture's.
// Empty for another kind. Source: the table of the lecture's part on tokenizers (S14).
// lecture_note("words", tokenizer, measured) has a line that begins "unknown tokens: 2 here; a lecture says:" if two are unknown.
std::string lecture_note(const std::string& kind, const tokenizers::Tokenizer& tokenizer, const tokenizers::Measured& measured);

}  // namespace headlight::views::tokens
